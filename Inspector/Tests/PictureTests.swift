import Foundation
import Strata
import StrataSQLite
import Testing

@testable import StrataInspector

/// Makes the pictures of the guide: `STRATA_PICTURES=FOLDER swift test --package-path Inspector --filter Pictures`.
@Suite("Pictures", .enabled(if: ProcessInfo.processInfo.environment["STRATA_PICTURES"] != nil && Browser.isInstalled))
struct PictureTests {
    private static let books: [(String, [(String, Int)])] = [
        ("Mary Shelley", [("Frankenstein", 1818), ("The Last Man", 1826)]), ("Jane Austen", [("Emma", 1815), ("Persuasion", 1817)]),
        ("Jules Verne", [("Michel Strogoff", 1876)]), ("Ada Lovelace", [("Notes on the Analytical Engine", 1843)]),
        ("Charles Dickens", [("Bleak House", 1853), ("Hard Times", 1854), ("Little Dorrit", 1857)]),
        ("Kate Chopin", [("The Awakening", 1899)]),
        ("Herman Melville", [("Typee", 1846), ("Omoo", 1847), ("Moby-Dick", 1851)]), ("Theodor Storm", [("Der Schimmelreiter", 1888)]),
    ]

    @Test("The pages of a library") func pictures() async throws {
        let folder = try #require(ProcessInfo.processInfo.environment["STRATA_PICTURES"])
        let path = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID()).sqlite").path
        let model = try ManagedObjectModel(versionIdentifiers: ["1"]) {
            Entity("Author") {
                Attribute("name", .string).required
                Relationship("books", to: "Book", inverse: "author", .toMany)
            }
            Entity("Book") {
                Attribute("title", .string).required
                Attribute("year", .integer16)
                Attribute("isLent", .boolean, default: false)
                Relationship("author", to: "Author", inverse: "books")
                Relationship("loans", to: "Loan", inverse: "book", .toMany)
            }
            Entity("Loan") {
                Attribute("date", .date)
                Relationship("book", to: "Book", inverse: "loans")
            }
        }
        let container = try PersistentContainer(name: "library.sqlite", model: model, stores: [StoreDescription(.sqlite, path: path)])
        try await container.performBackgroundTask { context in
            for (name, books) in PictureTests.books {
                let author = try context.insert("Author")
                try author.setValue(name, forKey: "name")
                for (title, year) in books {
                    let book = try context.insert("Book")
                    try book.setValue(title, forKey: "title")
                    try book.setValue(year, forKey: "year")
                    try book.setValue(year.isMultiple(of: 3), forKey: "isLent")
                    try book.setValue(author, forKey: "author")
                }
            }
            try context.save()
        }
        let browser = try await Browser()
        let library = try Library(container: container, options: InspectorOptions(title: container.name))
        try await ServerTests.serve(library) { port async throws in
            let pages: [(String, String, Int, Int, Bool)] = [
                ("inspector-table", "/table?entity=Book&sort=-year&limit=8", 900, 540, false),
                ("inspector-query", "/query?q=Book+where+author.name+beginswith+%22J%22+sort+year&explain=1", 900, 640, false),
                ("inspector-model", "/model", 420, 700, true),
            ]
            for (name, page, width, height, isDark) in pages {
                _ = try await browser.open("http://127.0.0.1:\(port)\(page)", width: width, height: height, isDark: isDark)
                try await browser.picture(to: "\(folder)/\(name).png")
            }
        }
    }
}
