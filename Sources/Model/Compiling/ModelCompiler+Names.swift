extension ModelCompiler {
    /// Checks the names in an entity's declaration, and the earlier ones that a migration matches.
    static func checkNames(of entity: Entity) throws(ModelError) {
        try checkName(entity.name, entity: entity.name, property: nil)
        try checkText(entity.renamingIdentifier, entity: entity.name, property: nil)
        let properties =
            entity.attributes.map { ($0.name, $0.renamingIdentifier) } + entity.relationships.map { ($0.name, $0.renamingIdentifier) }
        for (name, renamed) in properties {
            try checkName(name, entity: entity.name, property: name)
            try checkText(renamed, entity: entity.name, property: name)
        }
        for index in entity.indexes { try checkText(index.name, entity: entity.name, property: index.name) }
    }

    static func checkName(_ name: String, entity: String, property: String?) throws(ModelError) {
        guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") }) else {
            throw ModelError(.illegalName, entity: entity, property: property, "a name is not empty and has no dot, no @ and no NUL")
        }
        guard property == nil || (name != "SELF" && name != "self") else {
            throw ModelError(.illegalName, entity: entity, property: property, "SELF is the object itself in key paths and predicates")
        }
    }

    /// Checks a name that may contain anything but NUL: of an index, a configuration or a template, or an earlier name.
    ///
    /// SQLite and PostgreSQL read a statement up to its first NUL.
    static func checkText(_ name: String?, entity: String, property: String?) throws(ModelError) {
        guard name?.utf8.contains(0) == true else { return }
        throw ModelError(.illegalName, entity: entity, property: property, "a name has no NUL")
    }
}
