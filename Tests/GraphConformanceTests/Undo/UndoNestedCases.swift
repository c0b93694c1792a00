import Strata

@testable import StrataConformance

/// Undo where a child saves a deletion to its parent, whose save finds more to be deleted in the store.
enum UndoNestedCases {
    /// Deletes a company with a department in a child, after another context added another department that the family
    /// does not know.
    ///
    /// - Returns: The names of the departments once the undo of a context of the family is saved.
    private static func departments(
        _ environment: ConformanceEnvironment,
        undoneIn undone: (_ parent: ManagedObjectContext, _ child: ManagedObjectContext) -> ManagedObjectContext
    ) throws -> [String] {
        let stack = try environment.stack(Models.company)
        let (parent, other) = (stack.context(), stack.context())
        let child = ManagedObjectContext(parent: parent)
        let undoing = undone(parent, child)
        let company = Company(context: other)
        company.name = "c"
        func addDepartment(_ name: String) throws {
            let department = Department(context: other)
            (department.name, department.company) = (name, company)
            try other.save()
        }
        try addDepartment("known")
        let deleted = try child.named("c", Company.self)
        try expectEqual(deleted.departments.count, 1)
        undoing.undoManager = UndoManager()
        child.delete(deleted)
        try child.processPendingChanges()
        try addDepartment("unknown")
        try child.save()
        try parent.save()
        try expectEqual(try stack.context().names(of: Department.self), [])
        try undoing.undo()
        try child.save()
        try parent.save()
        return try names(stack.context().named("c", Company.self).departments)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Undo in a parent restores what its save deleted because of a child's deletion", in: .undo) { environment in
            try expectEqual(try departments(environment) { parent, _ in parent }, ["known", "unknown"])
        }
        ConformanceCase("Undo in a child restores what the child deleted, and not what its parent's save deleted", in: .undo) {
            environment in
            try expectEqual(try departments(environment) { _, child in child }, ["known"])
        }
    }
}
