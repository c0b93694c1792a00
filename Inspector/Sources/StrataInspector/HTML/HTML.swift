import StrataStoreTool
import StrataText

/// Markup in which every text that is not a literal of this module was escaped.
///
/// There is no other way to make it than from elements, whose names and attributes are types, and from texts, which are escaped.
struct HTML: Sendable {
    /// The markup.
    fileprivate(set) var markup: String

    /// Nothing.
    static let empty = HTML(markup: "")

    private init(markup: String) { self.markup = markup }

    /// Creates the markup of a text.
    ///
    /// Control characters, which HTML cannot contain, become the pictures that Unicode has for them.
    init(_ text: String) {
        guard text.utf8.contains(where: HTML.mayBeEscaped) else {
            markup = text
            return
        }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\t": shown.append(scalar)
            case "\u{0}"..."\u{1F}": shown.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case "\u{7F}"..."\u{9F}": shown.append("\u{FFFD}")
            default: shown.append(scalar)
            }
        }
        // Attributes are in double quotes.
        markup = TextEscaping.xml(String(shown))
    }

    /// Whether a byte is, or begins, a character that is escaped; most texts have none.
    private static func mayBeEscaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), 0..<0x20, 0x7F, 0xC2: true
        default: false
        }
    }

    /// Creates the markup of some parts, one after the other.
    init(_ parts: some Sequence<HTML>) { markup = parts.reduce(into: "") { $0 += $1.markup } }

    /// Creates an element.
    fileprivate init(_ tag: Tag, _ attributes: [HTMLAttribute], _ content: HTML) {
        markup = "<\(tag.rawValue)"
        for attribute in attributes {
            markup += " \(attribute.name)"
            if let value = attribute.value { markup += "=\"\(HTML(value).markup)\"" }
        }
        markup += ">"
        if !tag.isVoid { markup += "\(content.markup)</\(tag.rawValue)>" }
    }

    /// Returns a whole document.
    static func document(_ root: HTML) -> String { "<!DOCTYPE html>\n" + root.markup + "\n" }
}

/// The elements that pages consist of.
///
/// `script` is empty: its content would not be read as markup.
enum Tag: String, Sendable {
    case html, head, title, meta, link, body, header, nav, main, footer, section, a, h1, h2, h3, p, pre, code, span, strong, div
    case ul, li, dl, dt, dd, table, caption, thead, tbody, tr, th, td, form, label, input, button, textarea, select, option, img, details,
        summary, script

    fileprivate var isVoid: Bool { self == .meta || self == .link || self == .input || self == .img }
}

/// An attribute of an element.
struct HTMLAttribute: Sendable {
    fileprivate let name: StaticString
    fileprivate let value: String?

    private init(_ name: StaticString, _ value: String?) { (self.name, self.value) = (name, value) }

    static func href(_ link: Link) -> HTMLAttribute { HTMLAttribute("href", link.text) }
    static func src(_ link: Link) -> HTMLAttribute { HTMLAttribute("src", link.text) }
    static func action(_ link: Link) -> HTMLAttribute { HTMLAttribute("action", link.text) }
    static func live(_ link: Link) -> HTMLAttribute { HTMLAttribute("data-events", link.text) }
    static func value(_ value: String) -> HTMLAttribute { HTMLAttribute("value", value) }
    static func name(_ name: String) -> HTMLAttribute { HTMLAttribute("name", name) }
    static func alt(_ text: String) -> HTMLAttribute { HTMLAttribute("alt", text) }
    static func title(_ text: String) -> HTMLAttribute { HTMLAttribute("title", text) }
    static func label(_ text: String) -> HTMLAttribute { HTMLAttribute("aria-label", text) }
    /// The names of the entities that a page shows, for live updates.
    static func entities(_ names: [String]) -> HTMLAttribute { HTMLAttribute("data-entities", JSON.array(names.map { .string($0) }).line) }
    /// An attribute with a literal value.
    static func set(_ name: StaticString, _ value: StaticString) -> HTMLAttribute { HTMLAttribute(name, "\(value)") }
    /// An attribute without a value.
    static func flag(_ name: StaticString) -> HTMLAttribute { HTMLAttribute(name, nil) }
    static func `class`(_ name: StaticString) -> HTMLAttribute { HTMLAttribute("class", "\(name)") }
    static func id(_ name: StaticString) -> HTMLAttribute { HTMLAttribute("id", "\(name)") }
}

/// Puts parts of markup, and texts, one after the other.
@resultBuilder enum HTMLBuilder {
    static func buildExpression(_ html: HTML) -> HTML { html }
    static func buildExpression(_ text: String) -> HTML { HTML(text) }
    static func buildBlock(_ parts: HTML...) -> HTML { HTML(parts) }
    static func buildOptional(_ part: HTML?) -> HTML { part ?? .empty }
    static func buildEither(first: HTML) -> HTML { first }
    static func buildEither(second: HTML) -> HTML { second }
    static func buildArray(_ parts: [HTML]) -> HTML { HTML(parts) }
}

/// Returns an element with its content.
func element(_ tag: Tag, _ attributes: HTMLAttribute..., @HTMLBuilder content: () -> HTML = { .empty }) -> HTML {
    HTML(tag, attributes, content())
}
