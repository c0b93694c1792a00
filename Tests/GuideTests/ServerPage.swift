#if Macros
    import Foundation
    import Strata
    import StrataSQLite

    /// The code of the guide "A server".
    struct ServerPage {
        @Model final class Note: ManagedObject {
            #Unique<Note>([\.key])
            #Index<Note>([\.created])

            var key = UUID()
            var created = Date()
            @Attribute(.validation(.length(1...10_000))) var text: String

            init(text: String) { self.text = text }
        }

        struct NoteResponse: ResponseEncodable {
            var key: UUID
            var created: Date
            var text: String

            init(_ note: Note) { (key, created, text) = (note.key, note.created, note.text) }
        }

        struct NewNote: Decodable, Sendable { var text: String }

        func notes(_ container: PersistentContainer) -> Router<BasicRequestContext> {
            let router = Router()
            router.get("notes") { _, _ in
                try await container.performBackgroundTask { context in
                    try context.fetch(Note.self, sort: [Note.created.descending], limit: 50).map(NoteResponse.init)
                }
            }
            router.get("notes/:key") { _, requestContext in
                guard let key = requestContext.parameters.get("key", as: UUID.self) else { throw HTTPError(.badRequest) }
                let found = try await container.performBackgroundTask { context in
                    try context.first(Note.self, where: Note.key == key).map(NoteResponse.init)
                }
                guard let found else { throw HTTPError(.notFound) }
                return found
            }
            router.post("notes") { request, requestContext in
                let new = try await request.decode(as: NewNote.self, context: requestContext)
                return try await container.performBackgroundTask { context in
                    let note = Note(text: new.text)
                    context.insert(note)
                    try context.save()
                    return NoteResponse(note)
                }
            }
            return router
        }

        func status(of error: any Error) -> HTTPResponse.Status {
            switch error {
            case is ValidationError: .unprocessableContent
            case is SaveConflictError: .conflict
            case let error as StoreError where error.recovery == .retryable: .serviceUnavailable
            default: .internalServerError
            }
        }

        struct Stores: Service {
            let container: PersistentContainer

            func run() async throws {
                try await gracefulShutdown()
                try container.close()
            }
        }

        func serve() async throws {
            let container = try PersistentContainer(for: Note.self, stores: [StoreDescription(.sqlite, path: "/data/notes.sqlite")])
            var app = Application(router: notes(container), configuration: .init(address: .hostname("0.0.0.0", port: 8080)))
            app.addServices(Stores(container: container))
            try await app.runService()
        }
    }
#endif
