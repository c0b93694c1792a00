import StrataModel

/// The elements of a model's source, with their known attributes and children.
enum ModelVocabulary {
    struct Word {
        let attributes: Set<String>
        let children: Set<String>

        init(_ attributes: String, children: String = "") {
            self.attributes = Set(attributes.split(separator: " ").map(String.init))
            self.children = Set(children.split(separator: " ").map(String.init))
        }
    }

    /// The elements that are checked as they are translated.
    static let translated: Set<String> = [
        "entity", "configuration", "attribute", "relationship", "fetchedProperty", "fetchIndex", "fetchRequest",
    ]

    /// The only attributes of most attribute elements, of which a large model has thousands.
    private static let plain = ["name", "attributeType", "optional", "usesScalarValueType", "syncable", "defaultValueString"]

    /// Returns whether an element has only these attributes.
    static func isPlain(_ attribute: ModelDocument.Element) -> Bool {
        attribute.children.isEmpty && attribute.text.isEmpty && attribute.attributes.allSatisfy { plain.contains($0.name) }
    }

    static let words: [String: Word] = [
        "model": Word(
            """
            type documentVersion lastSavedToolsVersion systemVersion minimumToolsVersion userDefinedModelVersionIdentifier sourceLanguage \
            name macOSVersion iOSVersion usedWithSwiftData usedWithCloudKit
            """,
            children: "entity configuration fetchRequest elements composite compositeAttribute"),
        "entity": Word(
            """
            name representedClassName parentEntity isAbstract syncable codeGenerationType elementID versionHashModifier \
            coreSpotlightDisplayNameExpression
            """,
            children: "attribute relationship fetchedProperty fetchIndex compoundIndexes uniquenessConstraints userInfo"),
        "attribute": Word(
            """
            name attributeType optional transient indexed syncable defaultValueString defaultDateTimeInterval usesScalarValueType \
            minValueString maxValueString minDateTimeInterval maxDateTimeInterval regularExpressionString customClassName \
            valueTransformerName allowsExternalBinaryDataStorage preserveAfterDeletion storedInTruthFile spotlightIndexingEnabled \
            allowsCloudEncryption derived derivationExpression elementID versionHashModifier composite elementName
            """,
            children: "userInfo"),
        "composite": Word("name elementID versionHashModifier", children: "attribute userInfo"),
        "compositeAttribute": Word("name elementID versionHashModifier", children: "attribute userInfo"),
        "relationship": Word(
            """
            name optional toMany ordered minCount maxCount deletionRule destinationEntity inverseName inverseEntity transient indexed \
            syncable storedInTruthFile spotlightIndexingEnabled elementID versionHashModifier
            """,
            children: "userInfo"),
        "fetchedProperty": Word(
            "name optional transient indexed syncable elementID versionHashModifier spotlightIndexingEnabled storedInTruthFile",
            children: "fetchRequest userInfo"),
        "fetchRequest": Word(
            """
            name entity predicateString fetchLimit fetchBatchSize resultType returnDistinctResults returnObjectsAsFaults \
            returnsDistinctResults returnsObjectsAsFaults includesPendingChanges includePropertyValues includeSubentities
            """),
        "fetchIndex": Word("name partialIndexPredicate", children: "fetchIndexElement"),
        "fetchIndexElement": Word("property expression expressionType type order"),
        "compoundIndexes": Word("", children: "compoundIndex"),
        "compoundIndex": Word("", children: "index"),
        "index": Word("value"),
        "uniquenessConstraints": Word("", children: "uniquenessConstraint"),
        "uniquenessConstraint": Word("", children: "constraint"),
        "constraint": Word("value"),
        "userInfo": Word("", children: "entry"),
        "entry": Word("key value"),
        "configuration": Word("name usedWithCloudKit", children: "memberEntity"),
        "memberEntity": Word("name"),
        "elements": Word("", children: "element"),
        "element": Word("name positionX positionY width height"),
    ]

    static let types: [String: AttributeType] = [
        "Undefined": .undefined, "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64, "Decimal": .decimal,
        "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date, "Binary": .binary,
        "Binary Data": .binary, "UUID": .uuid, "URI": .uri, "Transformable": .transformable,
    ]
}
