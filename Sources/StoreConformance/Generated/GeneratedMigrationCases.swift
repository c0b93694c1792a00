import Strata

/// Stores that go through generated versions of a model.
enum GeneratedMigrationCases {
    static var all: [ConformanceCase] { (1...6).map { follow($0) } + (7...9).map { follow($0, byPolicies: true) } }

    private static func follow(_ seed: Int, byPolicies: Bool = false) -> ConformanceCase {
        let name = "Generated versions of a model follow each other" + (byPolicies ? ", led by policies" : "")
        return ConformanceCase("\(name), \(seed)", in: .migration, requires: .persistence) { environment in
            var versions = GeneratedVersions(seed: UInt64(seed))
            var stack = try environment.stack(try versions.model())
            for version in 0..<Effort.count(5, soak: 8) {
                try versions.edit(stack.context())
                try expectEqual(unordered(try stack.contents()), versions.contents(), "before version \(version + 1)")
                versions.evolve()
                let plan = "\(try MappingModel.inferred(from: stack.container.model, to: versions.model()).plan)"
                if byPolicies { try migrate(stack, to: try versions.model(), environment.description()) }
                stack = try stack.reopened(model: try versions.model())
                let found = unordered(try stack.contents())
                for (line, expected) in zip(found, versions.contents()) where line != expected {
                    try expectEqual(line, expected, "in version \(version + 1), after: \(plan)")
                }
                try expectEqual(found.count, versions.contents().count, "objects in version \(version + 1), after: \(plan)")
                try expectEqual(try stack.problems(), [], "in version \(version + 1), after: \(plan)")
            }
        }
    }

    /// Migrates all objects by the standard policy, which is used where a mapping has more than can be inferred.
    private static func migrate(_ stack: ConformanceStack, to model: ManagedObjectModel, _ description: StoreDescription) throws {
        try stack.close()
        let inferred = try MappingModel.inferred(from: stack.container.model, to: model)
        let mapping = try MappingModel(from: stack.container.model, to: model) {
            for mapping in inferred.entityMappings where mapping.source != nil && mapping.destination != nil {
                EntityMapping(from: mapping.source, to: mapping.destination, policy: "Standard")
            }
        }
        try PersistentStoreCoordinator.migrateStore(
            description, to: model, mapping: mapping, policies: ["Standard": EntityMigrationPolicy.self])
    }

    /// Lines with the members of ordered relationships as those of others.
    private static func unordered(_ lines: [String]) -> [String] {
        lines.map { line in
            let parts = line.split(separator: "(", omittingEmptySubsequences: false)
            return parts.dropFirst().reduce(String(parts[0])) { text, part in
                let halves = part.split(separator: ")", maxSplits: 1, omittingEmptySubsequences: false)
                return "\(text)[\(halves[0].split(separator: " ").sorted().joined(separator: " "))]\(halves[1])"
            }
        }.sorted()
    }
}
