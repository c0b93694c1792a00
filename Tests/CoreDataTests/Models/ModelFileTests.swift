import CoreData
import Testing

/// Models that tests write as Xcode does.
struct ModelFileTests {
    /// Says what descriptions have places for.
    private static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758" \
        systemVersion="23E224" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="shop-2">
            <entity name="Article" representedClassName="Ware" isAbstract="YES" elementID="Thing" versionHashModifier="b" syncable="YES">
                <attribute name="added" attributeType="Date" defaultDateTimeInterval="708103500" usesScalarValueType="NO"/>
                <attribute name="amount" optional="YES" attributeType="Integer 16" minValueString="1" maxValueString="150" \
        defaultValueString="7" usesScalarValueType="YES"/>
                <attribute name="code" attributeType="String" minValueString="2" maxValueString="5" defaultValueString="ab" \
        regularExpressionString="[a-z]+" elementID="number" versionHashModifier="c" spotlightIndexingEnabled="YES"/>
                <attribute name="folded" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(code)"/>
                <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" \
        preserveAfterDeletion="YES" allowsCloudEncryption="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="9.99">
                    <userInfo><entry key="unit" value="EUR"/></userInfo>
                </attribute>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="TagsTransformer"/>
                <attribute name="x" attributeType="Double" defaultValueString="0"/>
                <relationship name="orders" optional="YES" toMany="YES" minCount="1" maxCount="9" deletionRule="Deny" ordered="YES" \
        destinationEntity="Order" inverseName="articles" inverseEntity="Order"/>
                <fetchedProperty name="dear" optional="YES">
                    <fetchRequest name="dear" entity="Article" predicateString="price &gt; $FETCH_SOURCE.price" fetchLimit="3"/>
                </fetchedProperty>
                <fetchIndex name="byCode" partialIndexPredicate="amount &gt; 3">
                    <fetchIndexElement property="code" type="Binary" order="descending"/>
                    <fetchIndexElement expression="amount + 1" expressionType="Integer 16" type="Binary" order="ascending"/>
                </fetchIndex>
                <fetchIndex name="byPlace"><fetchIndexElement property="x" type="RTree" order="ascending"/></fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="code"/><constraint value="amount"/></uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo><entry key="author" value="us"/></userInfo>
            </entity>
            <entity name="Book" representedClassName="Book" parentEntity="Article" syncable="YES"/>
            <entity name="Order" representedClassName="Order" syncable="YES">
                <attribute name="place" optional="YES" attributeType="Composite" elementName="Place"/>
                <relationship name="articles" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Article" \
        inverseName="orders" inverseEntity="Article"/>
            </entity>
            <compositeAttribute name="Place">
                <attribute name="city" optional="YES" attributeType="String"/>
                <attribute name="floor" optional="YES" attributeType="Integer 16" defaultValueString="2"/>
            </compositeAttribute>
            <fetchRequest name="expensive" entity="Article" predicateString="price &gt; $LIMIT" fetchLimit="10" includeSubentities="YES"/>
            <configuration name="Wares"><memberEntity name="Article"/><memberEntity name="Book"/></configuration>
        </model>
        """

    /// Writes the source as a version of a model in a folder that is gone afterwards.
    private func withModel(_ path: String, _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try ModelFileTests.source.write(to: directory.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        try body(folder)
    }

    private func read(_ body: (NSManagedObjectModel) throws -> Void) throws {
        try withModel("Shop.xcdatamodel") { folder in
            try body(try #require(NSManagedObjectModel(contentsOf: folder.appendingPathComponent("Shop.xcdatamodel"))))
        }
    }

    @Test("An entity keeps what Xcode says of it") func entities() throws {
        try read { model in
            #expect(model.versionIdentifiers == ["shop-2"])
            let article = try model.entity("Article")
            #expect(article.managedObjectClassName == "Ware")
            #expect(article.isAbstract)
            #expect(article.renamingIdentifier == "Thing")
            #expect(article.versionHashModifier == "b")
            #expect(article.userInfo as? [String: String] == ["author": "us"])
            #expect(article.uniquenessConstraints as? [[String]] == [["code", "amount"]])
            #expect(article.subentities == [try model.entity("Book")])
            #expect(model.entities(forConfigurationName: "Wares")?.compactMap(\.name) == ["Article", "Book"])
            let template = try #require(model.fetchRequestTemplate(forName: "expensive"))
            #expect(template.fetchLimit == 10)
            #expect(template.predicate == NSPredicate(format: "price > $LIMIT"))
        }
    }

    @Test("Attributes keep what Xcode says of them") func attributes() throws {
        try read { model in
            let attributes = try model.entity("Article").attributesByName
            let code = try #require(attributes["code"])
            #expect(!code.isOptional)
            #expect(code.renamingIdentifier == "number")
            #expect(code.versionHashModifier == "c")
            #expect(code.isIndexedBySpotlight)
            #expect(code.defaultValue as? String == "ab")
            #expect(attributes["amount"]?.defaultValue as? Int == 7)
            #expect(attributes["added"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 708_103_500))
            #expect(attributes["price"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "9.99"))
            #expect(attributes["price"]?.userInfo as? [String: String] == ["unit": "EUR"])
            #expect(attributes["tags"]?.valueTransformerName == "TagsTransformer")
            let image = try #require(attributes["image"])
            #expect(image.allowsExternalBinaryDataStorage)
            #expect(image.preservesValueInHistoryOnDeletion)
            #expect(image.allowsCloudEncryption)
            let folded = try #require(attributes["folded"] as? NSDerivedAttributeDescription)
            #expect(folded.derivationExpression == NSExpression(format: "canonical:(code)"))
            let place = try #require(try model.entity("Order").attributesByName["place"] as? NSCompositeAttributeDescription)
            #expect(place.elements.map(\.name) == ["city", "floor"])
            #expect(place.elements.last?.defaultValue as? Int == 2)
        }
    }

    @Test("Bounds, lengths and patterns are validation predicates") func validation() throws {
        try read { model in
            let attributes = try model.entity("Article").attributesByName
            let amount = try #require(attributes["amount"])
            #expect(amount.validationPredicates == [NSPredicate(format: "SELF >= 1"), NSPredicate(format: "SELF <= 150")])
            #expect(amount.validationWarnings as? [Int] == [1620, 1610])
            let code = try #require(attributes["code"])
            #expect(
                code.validationPredicates == [
                    NSPredicate(format: "length >= 2"), NSPredicate(format: "length <= 5"), NSPredicate(format: "SELF MATCHES '[a-z]+'"),
                ])
            #expect(code.validationWarnings as? [Int] == [1670, 1660, 1680])
        }
    }

    @Test("Relationships, fetched properties and indexes keep what Xcode says of them") func others() throws {
        try read { model in
            let article = try model.entity("Article")
            let orders = try #require(article.relationshipsByName["orders"])
            #expect(orders.destinationEntity === (try model.entity("Order")))
            #expect(orders.inverseRelationship === (try model.entity("Order").relationshipsByName["articles"]))
            #expect((orders.minCount, orders.maxCount) == (1, 9))
            #expect(orders.deleteRule == .denyDeleteRule)
            #expect(orders.isOrdered)
            let dear = try #require(article.propertiesByName["dear"] as? NSFetchedPropertyDescription)
            #expect(dear.fetchRequest?.entityName == "Article")
            #expect(dear.fetchRequest?.fetchLimit == 3)
            let byCode = try #require(article.indexes.first { $0.name == "byCode" })
            #expect(byCode.partialIndexPredicate == NSPredicate(format: "amount > 3"))
            #expect(byCode.elements.map(\.isAscending) == [false, true])
            #expect(byCode.elements.first?.property === article.attributesByName["code"])
            #expect(byCode.elements.last?.property is NSExpressionDescription)
            #expect(article.indexes.last?.elements.first?.collationType == .rTree)
        }
    }

    @Test("A model that was read is equal to its copy, and can be used") func use() throws {
        try read { model in
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            #expect(copy == model)
            _ = NSPersistentStoreCoordinator(managedObjectModel: copy)
            #expect(copy == model)
            #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        }
    }

    @Test("Where a compiled model is asked for, its source is read") func sources() throws {
        try withModel("Shop.xcdatamodeld/Shop.xcdatamodel") { folder in
            let compiled = folder.appendingPathComponent("Shop.momd")
            let model = try #require(NSManagedObjectModel(contentsOf: compiled))
            #expect(model.entities.count == 3)
            #expect(try NSManagedObjectModel.checksumsForVersionedModel(at: compiled) == ["Shop": model.versionChecksum])
            let bundle = try #require(Bundle(path: folder.path))
            #expect(bundle.url(forResource: "Shop", withExtension: "momd")?.lastPathComponent == "Shop.xcdatamodeld")
            let (name, kind) = ("Shop", "momd")
            #expect(bundle.url(forResource: name, withExtension: kind)?.lastPathComponent == "Shop.xcdatamodeld")
            #expect(bundle.url(forResource: "Other", withExtension: kind) == nil)
            #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == model)
        }
    }

    @Test("What is no model is none") func nothing() throws {
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/Shop.momd")) == nil)
        #expect(throws: (any Error).self) {
            try NSManagedObjectModel.checksumsForVersionedModel(at: URL(fileURLWithPath: "/nowhere/Shop.momd"))
        }
    }
}
