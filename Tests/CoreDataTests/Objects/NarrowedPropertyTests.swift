import CoreData
import Testing

/// A relationship to a superentity, as `@NSManaged var tasks: Set<NarrowedTask>` of another subclass declares it: the process ended.
class NarrowedTaskBase: NSManagedObject {}
final class NarrowedTask: NarrowedTaskBase {}
final class NarrowedPlan: NSManagedObject {
    private static let keys = ManagedKeys("tasks\nfirst")

    // As the plugin writes accessors.
    var tasks: Set<NarrowedTask>? {
        get { _managedOptionalSet(NarrowedPlan.keys[0], of: self) }
        set { _setManagedSet(newValue, NarrowedPlan.keys[0], of: self) }
    }
    var first: NarrowedTask? {
        get { _managedOptionalObject(NarrowedPlan.keys[1], of: self) }
        set { _setManagedOptionalObject(newValue, NarrowedPlan.keys[1], of: self) }
    }
}

@Suite("Properties of a subentity's class") struct NarrowedPropertyTests {
    private let context: NSManagedObjectContext

    init() throws {
        let (base, task, plan) = (PeopleModel.entity("Base"), PeopleModel.entity("Task"), PeopleModel.entity("Plan"))
        base.managedObjectClassName = NSStringFromClass(NarrowedTaskBase.self)
        task.managedObjectClassName = NSStringFromClass(NarrowedTask.self)
        plan.managedObjectClassName = NSStringFromClass(NarrowedPlan.self)
        base.subentities = [task]
        let tasks = PeopleModel.relationship("tasks", to: base, maxCount: 0)
        let owner = PeopleModel.relationship("plan", to: plan, maxCount: 1)
        (tasks.inverseRelationship, owner.inverseRelationship) = (owner, tasks)
        base.properties = [owner]
        plan.properties = [tasks, PeopleModel.relationship("first", to: base, maxCount: 1)]
        // An empty constraint is ignored.
        plan.uniquenessConstraints = [[]]
        let model = NSManagedObjectModel()
        model.entities = [base, task, plan]
        context = try MemoryStack.context(of: model)
    }

    @Test("Destinations of the class are read and set, and others left out") func reading() throws {
        try context.performAndWait {
            let plan = NarrowedPlan(context: context)
            let (task, other) = (NarrowedTask(context: context), NarrowedTaskBase(context: context))
            #expect(plan.first == nil)
            #expect(plan.tasks == [])
            plan.tasks = [task]
            plan.first = task
            #expect(task.value(forKey: "plan") as? NarrowedPlan == plan)
            plan.mutableSetValue(forKey: "tasks").add(other)
            try context.save()
            context.refreshAllObjects()
            #expect(plan.tasks == [task])
            #expect(plan.first == task)
            plan.setValue(other, forKey: "first")
            #expect(plan.first == nil)
        }
    }

    /// Code makes the pointer of a variable whose scope ends before the call.
    @Test("A pointer keeps the object of its variable") func pointer() {
        final class Thing {}
        weak var kept: Thing?
        let pointer: AutoreleasingUnsafeMutablePointer<AnyObject?>
        do {
            var variable: AnyObject = Thing()
            kept = variable as? Thing
            pointer = AutoreleasingUnsafeMutablePointer(&variable)
        }
        #expect(kept != nil)
        _ = pointer
    }
}
