import BenchXML
import StrataWorkload

/// Events through plain `xmlWriter` and `xmlReader` loops, an element for each field as Core Data's format has them:
/// what the XML store is measured against.
final class EventsRawXML: EventParticipant {
    static let name = "raw libxml2"
    static let kind = ParticipantKind.raw
    static let grouping = ProcessGrouping.perStep
    static let steps: [EventStep] = [.save, .load]

    private static let attributes: [(name: String, type: String)] = [
        ("time", "date"), ("title", "string"), ("detail", "string"), ("address", "string"), ("rank", "int64"), ("bucket", "int64"),
    ]

    var kept: Any?
    private let path: String

    init(directory: String) { path = directory + "/events.xml" }

    func save(_ events: [Event]) throws -> Answer {
        guard let writer = xmlNewTextWriterFilename(path + ".new", 0) else { throw failure("open") }
        xmlTextWriterSetIndent(writer, 1)
        var status = xmlTextWriterStartDocument(writer, nil, "UTF-8", nil)
        status = min(status, xmlTextWriterStartElement(writer, "database"))
        for event in events {
            status = min(status, xmlTextWriterStartElement(writer, "object"))
            xmlTextWriterWriteAttribute(writer, "type", "EVENT")
            xmlTextWriterWriteAttribute(writer, "id", "z\(event.id)")
            let values = [
                "\(event.time)", event.title, event.detail, event.address, "\(event.rank)", "\(event.bucket)",
            ]
            for (attribute, value) in zip(Self.attributes, values) {
                xmlTextWriterStartElement(writer, "attribute")
                xmlTextWriterWriteAttribute(writer, "name", attribute.name)
                xmlTextWriterWriteAttribute(writer, "type", attribute.type)
                xmlTextWriterWriteString(writer, value)
                status = min(status, xmlTextWriterEndElement(writer))
            }
            status = min(status, xmlTextWriterEndElement(writer))
        }
        status = min(status, xmlTextWriterEndDocument(writer))
        xmlFreeTextWriter(writer)
        guard status >= 0 else { throw failure("write") }
        try DurableFile.finish(path)
        return Answer(count: events.count)
    }

    func load() throws -> Answer {
        let options = Int32(XML_PARSE_HUGE.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_COMPACT.rawValue)
        guard let reader = xmlReaderForFile(path, nil, options) else { throw failure("open") }
        defer { xmlFreeTextReader(reader) }
        var events: [Event] = []
        var event = Event(id: 0, time: 0, title: "", detail: "", address: "", rank: 0, bucket: 0)
        var field = ""
        var status = xmlTextReaderRead(reader)
        while status == 1 {
            let depth = xmlTextReaderDepth(reader)
            switch xmlTextReaderNodeType(reader) {
            case Int32(XML_READER_TYPE_ELEMENT.rawValue) where depth == 1:
                event.id = Int64(Self.attribute("id", reader).dropFirst()) ?? 0
            case Int32(XML_READER_TYPE_ELEMENT.rawValue) where depth == 2:
                field = Self.attribute("name", reader)
            case Int32(XML_READER_TYPE_TEXT.rawValue):
                let text = xmlTextReaderConstValue(reader).map { String(cString: $0) } ?? ""
                switch field {
                case "time": event.time = Double(text) ?? 0
                case "title": event.title = text
                case "detail": event.detail = text
                case "address": event.address = text
                case "rank": event.rank = Int64(text) ?? 0
                default: event.bucket = Int64(text) ?? 0
                }
            case Int32(XML_READER_TYPE_END_ELEMENT.rawValue) where depth == 1:
                events.append(event)
            default: break
            }
            status = xmlTextReaderRead(reader)
        }
        guard status == 0 else { throw failure("read") }
        var answer = Answer()
        for event in events { answer.add(event) }
        kept = events
        return answer
    }

    private static func attribute(_ name: String, _ reader: xmlTextReaderPtr) -> String {
        guard xmlTextReaderMoveToAttribute(reader, name) == 1 else { return "" }
        defer { xmlTextReaderMoveToElement(reader) }
        return xmlTextReaderConstValue(reader).map { String(cString: $0) } ?? ""
    }

    private func failure(_ operation: String) -> LibraryError {
        LibraryError(library: "libxml2", operation: "\(operation) \(path)", message: "failed")
    }
}
