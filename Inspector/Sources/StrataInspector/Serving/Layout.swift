import Hummingbird
import Strata
import StrataStoreTool

extension Inspector {
    /// The answer with a page.
    func response(_ page: any Page, to pageRequest: PageRequest, _ name: PageName) -> Response {
        if pageRequest.isJSON { return Response(.ok, json: page.json) }
        let json = links.page(name, asJSON: true, pageRequest.values)
        return Response(.ok, html: document(page.title, page.content, current: name, json: json, entities: page.entities))
    }

    /// The answer with an error.
    func response(_ error: PageError, to pageRequest: PageRequest) -> Response {
        if pageRequest.isJSON {
            return Response(
                error.status, json: .object(["error": .string(error.message), "status": .int(Int64(error.status.code))]))
        }
        let content = HTML([
            element(.h1) { "\(error.status.code) \(error.status.reasonPhrase)" }, form(pageRequest),
            element(.pre, .class("error")) { error.message },
        ])
        return Response(error.status, html: document(error.status.reasonPhrase, content))
    }

    /// The form of the request, to mend it.
    private func form(_ pageRequest: PageRequest) -> HTML {
        switch pageRequest.name {
        case .query: QueryPage.form(pageRequest.values["q"] ?? "", links)
        case .table where container.model.entity(named: pageRequest.values["entity"] ?? "") != nil:
            TablePage.form(pageRequest.values["entity"] ?? "", pageRequest.values, links)
        default: .empty
        }
    }

    private func document(
        _ title: String, _ content: HTML, current: PageName? = nil, json: Link? = nil, entities: [String]? = []
    ) -> String {
        HTML.document(
            element(.html, .set("lang", "en")) {
                element(.head) {
                    element(.meta, .set("charset", "utf-8"))
                    element(.meta, .set("name", "viewport"), .set("content", "width=device-width, initial-scale=1"))
                    element(.meta, .set("name", "color-scheme"), .set("content", "light dark"))
                    element(.title) { "\(title) – \(options.title)" }
                    element(.link, .set("rel", "icon"), .href(links.file("icon.svg")))
                    element(.link, .set("rel", "stylesheet"), .href(links.file("style.css")))
                    element(.script, .src(links.file("script.js")), .flag("defer"))
                }
                element(.body) {
                    element(.a, .class("skip"), .href(Link.main)) { "To the content" }
                    header(current, json)
                    if let entities {
                        element(.main, .id("main"), .live(links.file("events")), .entities(entities)) { content }
                    } else {
                        element(.main, .id("main"), .live(links.file("events"))) { content }
                    }
                }
            })
    }

    private func header(_ current: PageName?, _ json: Link?) -> HTML {
        element(.header) {
            element(.strong) { options.title }
            element(.nav, .label("Inspector")) {
                for (name, text) in [(PageName.overview, "Overview"), (.query, "Query"), (.model, "Model"), (.history, "History")] {
                    if name == current {
                        element(.a, .href(links.page(name)), .set("aria-current", "page")) { text }
                    } else {
                        element(.a, .href(links.page(name))) { text }
                    }
                }
            }
            element(.span, .class("side")) {
                element(.span, .id("live"), .set("role", "status"))
                if let json { element(.a, .href(json)) { "JSON" } }
            }
        }
    }
}

extension Response {
    init(_ status: HTTPResponse.Status, html: String) { self.init(status, "text/html; charset=utf-8", html) }
    init(_ status: HTTPResponse.Status, json: JSON) { self.init(status, "application/json", json.lines + "\n") }

    init(_ status: HTTPResponse.Status, _ type: String, _ text: String) {
        self.init(status: status, headers: .guarded(type), body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The answer to a HEAD request.
    var withoutBody: Response { Response(status: status, headers: headers, body: ResponseBody()) }
}

extension HTTPFields {
    /// The headers of every answer: it loads and runs what the inspector has and nothing else, no site shows it in a frame or reads it, and nothing keeps it.
    static func guarded(_ type: String) -> HTTPFields {
        var fields: HTTPFields = [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ] {
            if let name = HTTPFields.Element.Name(name) { fields[name] = value }
        }
        return fields
    }
}
