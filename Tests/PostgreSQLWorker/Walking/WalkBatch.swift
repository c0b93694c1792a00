import Strata
import StrataTestRandom

/// A batch request of a walk, and what is said of it, as of a save; `^` for one that changes all accounts.
struct WalkBatch {
    let words: [String]
    let run: (ManagedObjectContext) throws -> Void

    init?(_ tag: String, _ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            let size = Int.random(in: 1...30, using: &random)
            let rows = [[String: (any ValueConvertible)?]](repeating: ["tag": tag, "size": size], count: size)
            words = ["*"]
            run = { try $0.execute(BatchInsertRequest(entityName: "Mark", objects: rows)) }
        case 2, 3:
            words = ["^"]
            run = { context in
                let terms: [String: any QueryTerm] = ["up": WalkKeys.up + 1, "down": WalkKeys.down - 1]
                let count = try context.execute(BatchUpdateRequest(entityName: "Account", set: terms)).count
                if count != WalkModel.accounts { Walker.say("wrong \(tag) changed \(count) accounts") }
            }
        case 4:
            guard let folder = try WalkBatch.one("Folder", context, &random), let name = folder[WalkKeys.name] else { return nil }
            words = []
            run = { context in
                let isThere = key("folder.name") == .string(name)
                try context.execute(BatchUpdateRequest(entityName: "Document", isThere, set: ["note": Value.string(tag)]))
            }
        case 5:
            guard let folder = try WalkBatch.one("Folder", context, &random), let name = folder[WalkKeys.name],
                try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Folder")) > 3
            else { return nil }
            words = ["-" + name, "!" + name]
            run = { try $0.execute(BatchDeleteRequest(entityName: "Folder", key("name") == .string(name))) }
        default:
            let name = "l\(Int.random(in: 0..<6, using: &random))"
            words = []
            run = { try $0.execute(BatchDeleteRequest(entityName: "Label", key("name") == .string(name))) }
        }
    }

    private static func one(
        _ entity: String, _ context: ManagedObjectContext, _ random: inout SeededGenerator
    ) throws -> ManagedObject? {
        let all = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: entity))
        return all.isEmpty ? nil : random.pick(all)
    }
}
