import StrataModel

extension MappingModel {
    /// Infers a mapping in which numbers of every type become those of another one, as in Core Data.
    ///
    /// The graph infers only what loses no value. Here fractions are truncated to integers, and a number that the new
    /// type cannot hold is nil.
    ///
    /// - Throws: `MappingError` as `inferred(from:to:)`, for changes other than of one numeric type to another.
    static func inferredWithNumbers(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MappingError) -> MappingModel {
        do throws(MappingError) { return try inferred(from: source, to: destination) } catch {
            guard error.reason == .typeChange else { throw error }
        }
        let dropping = try inferred(from: source, to: destination, droppingLossyTypes: true)
        let conversions = dropping.entityMappings.map { NumericConversions($0, in: dropping) }.filter { !$0.properties.isEmpty }
        return try MappingModel(from: source, to: destination) {
            for entity in conversions { EntityMapping(from: entity.source, to: entity.destination) { entity.properties } }
        }
    }
}

/// The attributes of an entity whose numeric type changes with a loss.
private struct NumericConversions {
    let source: String?
    let destination: String?
    private(set) var properties: [PropertyMapping] = []

    init(_ mapping: EntityMapping, in model: MappingModel) {
        (source, destination) = (mapping.source, mapping.destination)
        guard let old = mapping.source.flatMap({ model.source.entity(named: $0) }),
            let new = mapping.destination.flatMap({ model.destination.entity(named: $0) })
        else { return }
        for property in mapping.properties where property.origin == .defaultValue {
            guard let attribute = new.attribute(named: property.name), !attribute.isDerived,
                let origin = [attribute.declaration.renamingIdentifier, attribute.name].lazy.compactMap({ $0 })
                    .compactMap({ old.attribute(named: $0) }).first, !origin.isTransient,
                let type = attribute.type.castName, origin.type.castName != nil
            else { continue }
            properties.append(PropertyMapping(attribute.name, "CAST($source.\(origin.name), '\(type)')"))
        }
    }
}

extension AttributeType {
    /// The name of a numeric type in a cast; `nil` for other types.
    fileprivate var castName: String? {
        switch self {
        case .integer16: "integer16"
        case .integer32: "integer32"
        case .integer64: "integer64"
        case .decimal: "decimal"
        case .double: "double"
        case .float: "float"
        case .boolean: "boolean"
        default: nil
        }
    }
}
