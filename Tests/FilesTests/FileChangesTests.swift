import StrataFiles
import StrataPlatform
import Testing

@Suite("Waiting for files to change")
struct FileChangesTests {
    private let scratch: ScratchDirectory
    private var directory: String { scratch.path }

    init() throws { scratch = try ScratchDirectory() }

    private func write(_ name: String, _ text: String) throws {
        let file = try #require(fopen("\(directory)/\(name)", "a"))
        fputs(text, file)
        fclose(file)
    }

    /// Waits until a change is told; half a minute is far beyond any.
    private func hears(_ changes: FileChanges) -> Bool { changes.wait(seconds: 30) == .changed }

    @Test("reports a file that is written, created, replaced and removed, and no other")
    func files() throws {
        try write("a", "1")
        let changes = FileChanges(["\(directory)/a", "\(directory)/b"])
        try #require(changes.isNotified)
        #expect(changes.wait(seconds: 0) == .time)
        try write("c", "1")
        #expect(changes.wait(seconds: 0) == .time)
        try write("a", "2")
        #expect(hears(changes))
        while changes.wait(seconds: 0) == .changed {}
        try write("b", "1")
        #expect(hears(changes))
        while changes.wait(seconds: 0) == .changed {}
        try #require(rename("\(directory)/c", "\(directory)/a") == 0)
        #expect(hears(changes))
        while changes.wait(seconds: 0) == .changed {}
        // The file that came is another than the one that was watched.
        try write("a", "3")
        #expect(hears(changes))
        while changes.wait(seconds: 0) == .changed {}
        try #require(unlink("\(directory)/b") == 0)
        #expect(hears(changes))
    }

    @Test("ends at once when it is woken, and for good when it is ended")
    func ends() async throws {
        let changes = FileChanges(["\(directory)/none"])
        changes.wake()
        #expect(hears(changes))
        #expect(changes.wait(seconds: 0) == .time)
        let waiting = Task.detached { changes.wait(seconds: 3000) }
        changes.end()
        #expect(await waiting.value == .ended)
        #expect(changes.wait(seconds: 3000) == .ended)
    }

    @Test("just waits where the directory is not there")
    func missing() {
        let changes = FileChanges(["\(directory)/no/file"])
        #expect(!changes.isNotified)
        #expect(changes.wait(seconds: 0.001) == .time)
    }
}
