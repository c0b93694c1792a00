import Foundation
import Strata
import Testing

@testable import StrataInspector

/// The pages in Debian's chromium, where it is installed.
@Suite(
    "Browser", .serialized, .timeLimit(.minutes(10)), .enabled(if: Browser.isInstalled, "chromium is not installed, or does not run here"))
struct BrowserTests {
    static let pages = [
        "/", "/table?entity=Author", "/table?entity=Book&limit=20", "/facets?entity=Book&key=isLent", "/object?id=Author/p5",
        "/query?q=Author+where+number+%3E+2&explain=1", "/model", "/history", "/table?entity=Author&where=x+%3E",
    ]

    @Test("No page runs a script of its data, breaks the policy, or is wider than the window") func widths() async throws {
        let library = try Library(keepsHistory: true)
        let browser = try await Browser()
        try await ServerTests.serve(library) { port async throws in
            for width in [400, 1_200, 1_600] {
                for (index, page) in BrowserTests.pages.enumerated() {
                    let shown = try await browser.open("http://127.0.0.1:\(port)\(page)", width: width, isDark: index.isMultiple(of: 2))
                    #expect(shown.title.hasSuffix("– Strata"), "\(page): \(shown)")
                    #expect(shown.scrollWidth <= shown.width, "\(page) is \(shown.scrollWidth) wide in \(shown.width)")
                    #expect(shown.problems.isEmpty, "\(page): \(shown.problems)")
                    #expect(shown.live == "live", "\(page)")
                }
            }
        }
    }

    @Test("Links are followed, and a table is filtered, with the keyboard alone") func keyboard() async throws {
        let library = try Library()
        let browser = try await Browser()
        try await ServerTests.serve(library) { port async throws in
            _ = try await browser.open("http://127.0.0.1:\(port)/", width: 1_200)
            var text = ""
            for _ in 0..<30 where text != "Author" {
                try await browser.press("Tab")
                text = try await browser.evaluate("document.activeElement.textContent") as? String ?? ""
            }
            try await browser.press("Enter", text: "\r")
            try await browser.wait(for: "location.pathname == '/table' && document.readyState == 'complete'")
            try await browser.press("/", text: "/")
            #expect(try await browser.evaluate("document.activeElement.id") as? String == "where")
            for key in "number>3" { try await browser.press(String(key), text: String(key)) }
            try await browser.press("Enter", text: "\r")
            try await browser.wait(for: "document.querySelectorAll('tbody tr').length == 2")
        }
    }

    @Test("A page shows what others save while it is open, but not over what someone writes") func live() async throws {
        let library = try Library(options: InspectorOptions(writeToken: "secret"))
        let browser = try await Browser()
        @Sendable func rename(_ name: String) async throws {
            try await library.container.performBackgroundTask { context in
                var request = ObjectFetchRequest<ManagedObject>(entityName: "Author")
                request.sort = [QuerySort("number")]
                try context.fetch(request).first?.setValue(name, forKey: "name")
                try context.save()
            }
        }
        try await ServerTests.serve(library) { port async throws in
            _ = try await browser.open("http://127.0.0.1:\(port)/object?id=Author/p1#token=secret", width: 1_200)
            #expect(try await browser.evaluate("location.hash") as? String == "")
            try await rename("<i>new</i>")
            try await browser.wait(for: "document.querySelector('main').textContent.includes('<i>new</i>')")
            #expect(try await browser.evaluate("document.querySelector('input[name=token]').value") as? String == "secret")
            _ = try await browser.evaluate("document.querySelector('details').open = true")
            try await rename("newer")
            try await browser.wait(for: "document.getElementById('live').textContent.startsWith('changed')")
            #expect(try await browser.evaluate("document.querySelector('main').textContent.includes('newer')") as? Bool == false)
            _ = try await browser.evaluate(
                "(f => { f.elements.key.value = 'name'; f.elements.value.value = 'by form'; f.elements.version.remove(); f.requestSubmit(); })(document.forms[0])"
            )
            try await browser.wait(for: "document.querySelector('main').textContent.includes('by form')")
        }
    }
}

extension Browser {
    /// Waits until an expression is true.
    func wait(for expression: String) async throws {
        for _ in 0..<500 {
            // While a page is replaced by another there is nothing to evaluate in.
            if (try? await evaluate(expression)) as? Bool == true { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(message: "never true: \(expression)")
    }
}
