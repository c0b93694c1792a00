import Foundation
import StrataModel
import StrataModelDrawing
import StrataModelFiles
import StrataTestSupport
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Pictures of models") struct SVGTests {
    /// What a picture has, as a reader of XML finds it.
    private final class Reader: NSObject, XMLParserDelegate {
        private(set) var texts: [String] = []
        private(set) var names: [String] = []
        /// The outer rectangle of each box.
        private(set) var boxes: [(x: Double, y: Double, width: Double, height: Double)] = []
        private var text: String?
        private var isFirstOfGroup = false

        init(_ svg: String) throws {
            super.init()
            let parser = XMLParser(data: Data(svg.utf8))
            parser.delegate = self
            try #require(parser.parse())
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
        ) {
            names.append(name)
            if name == "text" { text = "" }
            if name == "g" { isFirstOfGroup = true }
            guard name == "rect", isFirstOfGroup else { return }
            isFirstOfGroup = false
            func number(_ key: String) -> Double { attributes[key].flatMap(Double.init) ?? .nan }
            boxes.append((number("x"), number("y"), number("width"), number("height")))
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text? += string }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if name == "text", let found = text { texts.append(found) }
            text = nil
        }
    }

    @Test("A picture has each entity with its properties, and a line for each relationship and parent") func parts() throws {
        let reader = try Reader(SVGDrawing.svg(try DrawingSamples.library(), title: "Library"))
        #expect(
            reader.texts == [
                "Book", "title", "string?", "author", "Author", "sequels", "{Book}", "Person", "abstract", "age", "integer16?", "name",
                "string", "Author", "of Person", "books", "[Book]",
            ])
        #expect(reader.boxes.count == 3)
        #expect(reader.names.filter { $0 == "path" }.count == 2 + 2)
    }

    @Test("Texts of a model stay texts") func hostileTexts() throws {
        let svg = SVGDrawing.svg(try DrawingSamples.hostile(), title: "</title><script>")
        let reader = try Reader(svg)
        #expect(!reader.names.contains("script"))
        #expect(reader.texts.first == "<script>\"&'</svg> ]--> }{ \u{FFFD} 名前")
    }

    @Test("No two boxes overlap, and all lie within the picture", arguments: [1, 2, 12, 60, 200]) func boxes(_ count: Int) throws {
        let svg = SVGDrawing.svg(try DrawingSamples.large(count))
        let boxes = try Reader(svg).boxes
        #expect(boxes.count == count)
        for (place, one) in boxes.enumerated() {
            #expect(one.x >= 0)
            #expect(one.y >= 0)
            for other in boxes[(place + 1)...] {
                let isApart =
                    one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y
                    || other.y + other.height <= one.y
                #expect(isApart)
            }
        }
    }

    @Test("Equal models give equal pictures") func equalPictures() throws {
        #expect(SVGDrawing.svg(try DrawingSamples.large(30)) == SVGDrawing.svg(try DrawingSamples.large(30)))
    }

    @Test("An empty model is an empty picture") func emptyModel() throws {
        #expect(try Reader(SVGDrawing.svg(try ManagedObjectModel {})).texts.isEmpty)
    }

    @Test("Models of applications are drawn", .enabled(if: Fixtures.areAvailable), arguments: Fixtures.modelBundles)
    func modelsOfApplications(_ bundle: String) throws {
        let file = try ModelFile(contentsOf: Fixtures.path(bundle))
        for version in file.versions {
            let model = try file.model(version: version.name)
            let reader = try Reader(SVGDrawing.svg(model))
            #expect(reader.boxes.count == model.entities.count)
        }
    }
}
