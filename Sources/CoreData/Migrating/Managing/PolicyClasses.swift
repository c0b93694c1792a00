import Foundation
import StrataModel

/// Finds the classes of policies by the names in mappings.
enum PolicyClasses {
    /// Creates the policy of an entity mapping; throws if no class, or more than one, has the name.
    static func policy(of mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy() }
        let ownName = name.split(separator: ".").last.map(String.init) ?? name
        let named = TypeMetadata.classes().filter { $0.name == ownName }.compactMap { $0.type as? NSEntityMigrationPolicy.Type }
        // Xcode writes the module of the application, which may be another one here.
        let exact = named.filter { String(reflecting: $0) == name }
        let found = exact.isEmpty ? named : exact
        guard let policy = found.first else {
            throw MigrationErrors.meaningless(mapping, "there is no subclass of NSEntityMigrationPolicy with the name \(name)")
        }
        guard found.count == 1 else {
            let names = found.map { String(reflecting: $0) }.sorted().joined(separator: ", ")
            throw MigrationErrors.meaningless(mapping, "the policy \(name) may be each of \(names): say its module")
        }
        return policy.init()
    }
}
