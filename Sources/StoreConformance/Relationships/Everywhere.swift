import Strata

extension ConformanceEnvironment {
    /// Builds a graph and checks it wherever it must look the same: before it is saved, after, in another context, and
    /// after the store was opened again.
    func everywhere(
        _ model: ModelResult,
        _ build: (ManagedObjectContext) throws -> Void,
        check: (ManagedObjectContext) throws -> Void
    ) throws {
        let stack = try stack(model)
        let writer = stack.context()
        try build(writer)
        try at("before the save") { try check(writer) }
        try writer.save()
        try at("after the save") { try check(writer) }
        try at("in another context") { try check(stack.context()) }
        let again = try stack.reopened()
        try at("after reopening") { try check(again.context()) }
    }

    /// Changes a saved graph in a context of its own and checks it everywhere.
    func changed(
        _ model: ModelResult,
        _ build: (ManagedObjectContext) throws -> Void,
        change: (ManagedObjectContext) throws -> Void,
        check: (ManagedObjectContext) throws -> Void
    ) throws {
        let stack = try stack(model)
        let writer = stack.context()
        try build(writer)
        try writer.save()
        let again = try stack.reopened()
        let editor = again.context()
        try change(editor)
        try at("before the save") { try check(editor) }
        try editor.save()
        try at("after the save") { try check(editor) }
        try at("in another context") { try check(again.context()) }
        let last = try again.reopened()
        try at("after reopening") { try check(last.context()) }
    }

    /// Says where a check failed.
    private func at(_ moment: String, _ body: () throws -> Void) throws {
        do { try body() } catch let failure as ConformanceFailure {
            throw ConformanceFailure(
                "\(failure.message), \(moment)", fileID: failure.fileID, filePath: failure.filePath, line: failure.line)
        }
    }
}
