#if Macros
    import Foundation
    import Strata
    import StrataTesting
    import Testing

    @Suite("A graph as text", .timeLimit(.minutes(60)))
    struct GraphTextTests {
        @Test("The text has values, to-one, unordered and ordered relationships, and leaves out what is nil")
        func text() throws {
            let container = try PersistentContainer(inMemory: Shelf.self, fixtures: .file("Fixtures/shelves.json"))
            let text = try container.newContext().graphText()
            #expect(
                text == """
                    Book 1
                      key: "C56A4180-65AA-42EC-A945-5FD21DEC0538"
                      pages: 474
                      price: 12.5
                      printed: "1815-12-23T00:00:00Z"
                      title: "Emma"
                      readers: Reader 2, Reader 1
                      shelf: Shelf 1
                    Book 2
                      pages: 0
                      title: "Persuasion"
                      shelf: Shelf 1
                    Reader 1
                      name: "Ada"
                      books: Book 1
                    Reader 2
                      name: "Grace"
                      books: Book 1
                    Shelf 1
                      name: "Novels"
                      books: Book 1, Book 2

                    """)
        }

        @Test("Objects of equal values are numbered by their destinations, in whichever order they were inserted")
        func order() throws {
            let texts = try [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]].map { order in
                let context = try PersistentContainer(inMemory: Shelf.self).newContext()
                var shelves: [Int: Shelf] = [:]
                for number in order {
                    let shelf = Shelf(name: "equal")
                    context.insert(shelf)
                    shelves[number] = shelf
                }
                for number in order {
                    for count in 0...number {
                        let book = Book(title: "book \(number % 2)")
                        context.insert(book)
                        book.pages = count / 2
                        book.shelf = shelves[number]
                    }
                }
                return try context.graphText()
            }
            #expect(Set(texts).count == 1)
            let shelves = texts[0].components(separatedBy: "\nShelf ").dropFirst().map { $0.count { $0 == "," } + 1 }
            #expect(shelves.sorted() == [1, 2, 3, 4])
        }

        // They were numbered by their insertion.
        @Test("Objects that differ only by their position in an ordered relationship are numbered by it")
        func positions() throws {
            let texts = try [[0, 1, 2], [2, 1, 0], [1, 2, 0]].map { order in
                let context = try PersistentContainer(inMemory: Shelf.self).newContext()
                var readers: [Int: Reader] = [:]
                for number in order {
                    let reader = Reader(name: "equal")
                    context.insert(reader)
                    readers[number] = reader
                }
                for title in ["first", "second"] {
                    let book = Book(title: title)
                    context.insert(book)
                    book.readers = (0..<3).compactMap { readers[title == "first" ? $0 : 2 - $0] }
                }
                return try context.graphText()
            }
            #expect(Set(texts).count == 1)
            #expect(texts[0].contains("readers: Reader 1, Reader 2, Reader 3"))
            #expect(texts[0].contains("readers: Reader 3, Reader 2, Reader 1"))
        }

        @Test("Destinations of entities that are left out are shown by their entity, and unsaved changes are shown")
        func entities() throws {
            let container = try PersistentContainer(inMemory: Shelf.self, fixtures: .file("Fixtures/shelves.json"))
            let context = container.newContext()
            let shelf = try #require(try context.first(Shelf.self))
            shelf.name = "Changed"
            #expect(try context.graphText(of: "Shelf") == "Shelf 1\n  name: \"Changed\"\n  books: Book, Book\n")
            #expect(throws: StoreError.self) { try context.graphText(of: "Lamp") }
        }
    }
#endif
