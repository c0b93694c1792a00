import FoundationEssentials
import StrataModel
import StrataModelFiles
import Testing

@Suite struct SourceModelTests {
    private func declarations(_ text: String = SampleSource.shop) throws -> ModelDeclarations {
        try SampleSource.file(text).version().declarations()
    }

    @Test("Entities keep names, parents, renaming identifiers, modifiers and user info") func entitiesKeepNamesParentsRenaming() throws {
        let declared = try declarations()
        #expect(declared.entities.map(\.name) == ["Article", "Book", "Order"])
        let article = declared.entities[0]
        #expect(article.isAbstract)
        #expect(article.renamingIdentifier == "Thing")
        #expect(article.versionHashModifier == "b")
        #expect(article.userInfo == ["author": "us"])
        #expect(declared.entities[1].parent == "Article")
        #expect(!declared.entities[1].isAbstract)
        #expect(declared.classNames == ["Article": "Article", "Book": "ShopBook"])
        #expect(declared.versionIdentifiers == ["shop-2"])
        #expect(declared.configurations == [EntityConfiguration("Local", "Order")])
    }

    @Test("Attributes keep types, defaults, rules and flags") func attributesKeepTypesDefaultsRules() throws {
        let article = try declarations().entities[0]
        let attributes = Dictionary(uniqueKeysWithValues: article.attributes.map { ($0.name, $0) })
        #expect(
            article.attributes.map(\.type) == [
                .date, .integer16, .undefined, .string, .binary, .boolean, .decimal, .transformable, .uri, .uuid, .double,
            ])
        #expect(attributes["added"]?.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 708_103_500)))
        #expect(
            attributes["added"]?.validation == [
                .range(min: .date(Date(timeIntervalSinceReferenceDate: 0)), max: .date(Date(timeIntervalSinceReferenceDate: 1e9)))
            ])
        #expect(attributes["added"]?.isOptional == false)
        #expect(attributes["amount"]?.isOptional == true)
        #expect(attributes["amount"]?.defaultValue == 7)
        #expect(attributes["amount"]?.validation == [.range(1...150)])
        #expect(attributes["cached"]?.isTransient == true)
        #expect(attributes["code"]?.defaultValue == "a \"b\" <&>\nc")
        #expect(attributes["code"]?.validation == [.length(2...5), .pattern("[a-z]+")])
        #expect(attributes["code"]?.renamingIdentifier == "number")
        #expect(attributes["code"]?.versionHashModifier == "c")
        #expect(attributes["image"]?.allowsExternalStorage == true)
        #expect(attributes["image"]?.preservesValueInHistoryOnDeletion == true)
        #expect(attributes["isNew"]?.defaultValue == true)
        #expect(attributes["price"]?.defaultValue == .decimal(Decimal(string: "9.99") ?? 0))
        #expect(attributes["price"]?.validation == [.range(min: .decimal(Decimal(string: "0.5") ?? 0), max: nil)])
        #expect(attributes["price"]?.userInfo == ["unit": "EUR"])
        #expect(attributes["tags"]?.transformer?.name == "TagsTransformer")
        #expect(attributes["url"]?.defaultValue == URL(string: "https://example.org").map { .url($0) })
        #expect(attributes["weight"]?.defaultValue == 0.0)
        #expect(attributes["weight"]?.validation == [.range(min: nil, max: 10.0)])
    }

    @Test("Relationships keep counts, order, rules and inverses") func relationshipsKeepCountsOrderRules() throws {
        let declared = try declarations()
        let orders = try #require(declared.entities[0].relationships.first)
        #expect(orders.cardinality == .ordered)
        #expect(orders.minCount == 1)
        #expect(orders.maxCount == 9)
        #expect(orders.deleteRule == .deny)
        #expect(orders.destination == "Order")
        #expect(orders.inverse == "articles")
        #expect(orders.isOptional)
        let (articles, first) = (declared.entities[2].relationships[0], declared.entities[2].relationships[1])
        #expect(articles.cardinality == .toMany)
        #expect(articles.maxCount == 0)
        #expect(articles.renamingIdentifier == "things")
        #expect(first.cardinality == .toOne)
        #expect(first.deleteRule == .noAction)
        #expect(first.isTransient)
        #expect(!first.isOptional)
        #expect(first.inverse == nil)
    }

    @Test("Indexes of new and old files, constraints, fetched properties and templates are kept") func indexesOfNewAndOld() throws {
        let declared = try declarations()
        #expect(declared.entities[0].indexes == [FetchIndex("byCode", on: "code", .init("added", ascending: false))])
        #expect(declared.entities[1].indexes == [FetchIndex("byTitleIndex", on: "title")])
        #expect(declared.entities[2].indexes == [FetchIndex("byDayIndex", on: "day")])
        #expect(declared.entities[0].uniquenessConstraints == [Unique("code", "amount")])
        let expensive = FetchedProperty("expensive", to: "Article", predicate: "price > 100", limit: 3).userInfo(["k": "v"])
        #expect(declared.entities[2].fetchedProperties == [expensive])
        #expect(declared.fetchTemplates == [FetchTemplate("byCode", entity: "Article", predicate: "code == $CODE", limit: 5)])
    }

    @Test("Classes and transformers are those that the names are given for") func classesAndTransformersAreThose() throws {
        final class Mine {}
        let file = try SampleSource.file(SampleSource.shop)
        let tags = ValueTransformer(name: "Tags", Int.self, encode: { _ in Data([1]) }, decode: { _ in 1 })
        let model = try file.model(
            classes: { $0 == "ShopBook" ? Mine.self : nil }, transformers: { $0 == "TagsTransformer" ? tags : nil })
        #expect(model.entity(named: "Book")?.objectClass == Mine.self)
        #expect(model.entity(named: "Order")?.objectClass == nil)
        #expect(model.entity(named: "Book")?.attribute(named: "tags")?.declaration.transformer?.name == "Tags")
        #expect(file.warnings.isEmpty)
    }

    @Test("A document is written as it was read, and reads back equal") func aDocumentIsWrittenAs() throws {
        let document = try #require(try SampleSource.file(SampleSource.shop).version().document)
        #expect(document.xml == SampleSource.shop)
        #expect(try ModelDocument(parsing: document.xml.utf8) == document)
        #expect(document.root.children(named: "entity").map(\.line) == [3, 34, 37])
    }

    @Test("What a document says beside what is known is kept and warned of") func whatADocumentSaysBeside() throws {
        let text = SampleSource.model(
            """
            <entity name="A" colour="red"><attribute name="b" attributeType="Date" odd="1"/><shape sides="3"><side/></shape></entity>
            """)
        let file = try SampleSource.file(text)
        #expect(try file.model().entities.count == 1)
        #expect(file.warnings.map(\.kind) == [.unknownAttribute, .unknownElement, .unknownAttribute])
        #expect(file.warnings.map(\.element) == ["entity A", "entity A", "entity A/attribute b"])
        let document = try #require(try file.version().document)
        #expect(document.root.children[0]["colour"] == "red")
        #expect(document.root.children[0].children[1].children == [.init("side")])
        #expect(try ModelDocument(parsing: document.xml.utf8) == document)
    }
}
