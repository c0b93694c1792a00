import CoreData
import Testing

/// The kinds of stores that the listings run over.
enum StoreKind: CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite, binary, xml, inMemory

    var type: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .binary: NSBinaryStoreType
        case .xml: NSXMLStoreType
        case .inMemory: NSInMemoryStoreType
        }
    }

    var testDescription: String { type }

    /// Those whose stores outlive their coordinators.
    static let kept: [StoreKind] = [.sqlite, .binary, .xml]
}
