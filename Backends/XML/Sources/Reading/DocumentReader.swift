import CStrataXML
import StrataStore

/// Handles the elements of a file as the parser reports them.
///
/// The parser's callbacks reach it through a pointer; the first failure stops the parser.
struct DocumentReader: ~Copyable {
    enum Element {
        case document, database, information, informationText, metadata, propertyList, object, attribute, relationship, end
    }

    let errors: XMLErrors
    /// The reader of the objects; `nil` if only the metadata are read.
    var objects: ObjectReader?
    var information = StoreInformation()
    var failure: StoreError?
    /// The offset of the end of the databaseInfo element.
    private(set) var informationEnd: Int?
    private(set) var isComplete = false
    /// Whether an object was read, before which the databaseInfo element stands, if there is one.
    private var hasObjects = false

    private var element = Element.document
    private var text = ByteBuffer(capacity: 4096)
    private var elementName = ""
    private var propertyList = PropertyListReader()
    private var propertyListNames: [String] = []

    var isMetadataOnly: Bool { objects == nil }

    init(_ errors: XMLErrors, objects: consuming ObjectReader?) {
        self.errors = errors
        self.objects = objects
    }

    mutating func begin(_ name: UnsafePointer<UInt8>, _ attributes: ElementAttributes) {
        do throws(StoreError) {
            switch element {
            case .object: try unsafe beginProperty(name, attributes)
            case .database: try unsafe beginRecord(name, attributes)
            case .document:
                guard unsafe Self.equal(name, "database") else {
                    throw StoreError(.foreign, errors.operation, "the file is XML but no store", path: errors.path)
                }
                element = .database
            case .information:
                elementName = unsafe String(cString: name)
                element = elementName == "metadata" ? .metadata : .informationText
                text.removeAll()
            case .metadata:
                guard unsafe Self.equal(name, "plist") else { throw unsafe unexpected(name) }
                element = .propertyList
            case .propertyList:
                let element = unsafe String(cString: name)
                guard propertyList.begin(element) else { throw unsafe unexpected(name) }
                propertyListNames.append(element)
                text.removeAll()
            case .attribute, .relationship, .informationText, .end: throw unsafe unexpected(name)
            }
        } catch { fail(error) }
    }

    mutating func end(informationEnd position: @autoclosure () -> Int) {
        do throws(StoreError) {
            switch element {
            case .attribute:
                try unsafe objects?.endAttribute(text.bytes)
                element = .object
            case .relationship: element = .object
            case .object:
                try objects?.endObject()
                element = .database
            case .propertyList:
                guard let name = propertyListNames.popLast() else {
                    element = .metadata
                    return
                }
                guard unsafe propertyList.end(name, text.bytes) else { throw errors.corrupt("malformed metadata: \(name)") }
                text.removeAll()
            case .metadata:
                information.metadata = propertyList.value
                element = .information
            case .informationText:
                try endInformation()
                element = .information
            case .information:
                informationEnd = position()
                objects?.begin(information.numberOffsets)
                element = .database
                if isMetadataOnly { isComplete = true }
            case .database:
                isComplete = informationEnd != nil || hasObjects
                element = .end
            case .document, .end: break
            }
        } catch { fail(error) }
    }

    mutating func characters(_ start: UnsafePointer<UInt8>, _ count: Int) {
        switch element {
        case .attribute, .informationText: unsafe text.append(start, count)
        case .propertyList where !propertyListNames.isEmpty: unsafe text.append(start, count)
        default:
            guard unsafe UnsafeBufferPointer(start: start, count: count).allSatisfy({ $0 == 32 || $0 == 10 || $0 == 9 || $0 == 13 }) else {
                return fail(errors.corrupt("there is text where none belongs"))
            }
        }
    }

    mutating func fail(_ error: StoreError) { failure = failure ?? error }

    private mutating func beginRecord(_ name: UnsafePointer<UInt8>, _ attributes: ElementAttributes) throws(StoreError) {
        if unsafe Self.equal(name, "object") {
            hasObjects = true
            try unsafe objects?.beginObject(type: attributes["type"], id: attributes["id"])
            element = .object
        } else if unsafe Self.equal(name, "databaseInfo"), informationEnd == nil, !hasObjects {
            element = .information
        } else {
            throw unsafe unexpected(name)
        }
    }

    private mutating func beginProperty(_ name: UnsafePointer<UInt8>, _ attributes: ElementAttributes) throws(StoreError) {
        if unsafe Self.equal(name, "attribute") {
            try unsafe objects?.beginAttribute(name: attributes["name"], type: attributes["type"])
            text.removeAll()
            element = .attribute
        } else if unsafe Self.equal(name, "relationship") {
            try unsafe objects?.relationship(name: attributes["name"], destinations: attributes["idrefs"])
            element = .relationship
        } else {
            throw unsafe unexpected(name)
        }
    }

    private mutating func endInformation() throws(StoreError) {
        switch elementName {
        case "version":
            guard unsafe NumberText.integer(text.bytes) == DocumentText.version else {
                let version = unsafe String(decoding: NumberText.trimmed(text.bytes), as: UTF8.self)
                throw StoreError(.unsupportedVersion, errors.operation, "the format is of version \(version)", path: errors.path)
            }
        case "UUID":
            var decoded = ByteBuffer()
            guard unsafe TextEscape.appendDecoded(text.bytes, to: &decoded) else { throw errors.corrupt("the UUID is no text") }
            information.storeID = unsafe StoreID(String(decoding: NumberText.trimmed(decoded.bytes), as: UTF8.self))
        case "nextObjectID":
            guard let number = unsafe NumberText.integer(text.bytes), number >= 0 else { throw errors.corrupt("nextObjectID is no number") }
            information.lastNumber = number
        default: throw errors.corrupt("databaseInfo holds an unknown element \(elementName)")
        }
    }

    private func unexpected(_ name: UnsafePointer<UInt8>) -> StoreError {
        errors.corrupt(unsafe "the element \(String(cString: name).prefix(100)) does not belong where it stands")
    }

    private static func equal(_ name: UnsafePointer<UInt8>, _ text: StaticString) -> Bool {
        unsafe strata_xml_is_equal(name, text.utf8Start) != 0
    }
}

/// The attributes of an element, valid during its callback.
// Safe: it is read within libxml2's callback only.
@safe struct ElementAttributes {
    /// Five pointers each: local name, prefix, namespace, beginning and end of the value.
    let pointers: UnsafePointer<UnsafePointer<UInt8>?>?
    let count: Int

    /// The value of an attribute, `nil` if the element has none of that name.
    subscript(name: StaticString) -> UnsafeRawBufferPointer? {
        guard let pointers = unsafe pointers else { return nil }
        for index in 0..<count {
            guard unsafe strata_xml_is_equal(pointers[index * 5], name.utf8Start) != 0, unsafe pointers[index * 5 + 1] == nil,
                let start = unsafe pointers[index * 5 + 3], let end = unsafe pointers[index * 5 + 4]
            else { continue }
            return unsafe UnsafeRawBufferPointer(start: start, count: end - start)
        }
        return nil
    }
}
