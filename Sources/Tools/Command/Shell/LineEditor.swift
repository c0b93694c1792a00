import FoundationEssentials
import StrataFiles
import StrataPlatform
import StrataStoreTool
import Synchronization

/// The line editor of the system's libedit, by its interface of readline.
///
/// The library is opened when it is used: the command is built and run on systems without it.
final class LineEditor {
    private typealias ReadLine = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?
    private typealias AddHistory = @convention(c) (UnsafePointer<CChar>) -> CInt
    private typealias Generator = @convention(c) (UnsafePointer<CChar>, CInt) -> UnsafeMutablePointer<CChar>?
    private typealias Matches = @convention(c) (UnsafePointer<CChar>, Generator) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    private typealias Completion =
        @convention(c) (UnsafePointer<CChar>, CInt, CInt) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

    /// What the library's functions, which have no context, complete with.
    private struct State {
        var completion: ShellCompletion?
        var candidates: [String] = []
        // Unsafe, as pointers are not sendable: both are the library's, and are used under the lock of the state.
        nonisolated(unsafe) var matches: Matches?
        nonisolated(unsafe) var line: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    }

    private static let state = Mutex(State())
    private static let historyPath =
        (ProcessInfo.processInfo.environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path) + "/.strata_history"

    private let readLine: ReadLine
    private let addHistory: AddHistory
    private let writeHistory: AddHistory
    /// Whether the file of the history is this editor's, or missing: another program's is left as it is.
    private let ownsHistory: Bool
    /// The settings of the terminal for commands.
    private var settings = termios()
    private var last = ""

    /// Opens the library; `nil` where the system lacks it.
    init?(completing completion: ShellCompletion) {
        guard let library = dlopen("libedit.so.2", RTLD_NOW) ?? dlopen("libedit.so.0", RTLD_NOW) ?? dlopen("libedit.so", RTLD_NOW)
        else { return nil }
        // The types are those that readline's header declares.
        func symbol<T>(_ name: String, as type: T.Type) -> T? { dlsym(library, name).map { unsafeBitCast($0, to: type) } }
        func variable<T>(_ name: String, of type: T.Type) -> UnsafeMutablePointer<T>? {
            dlsym(library, name)?.assumingMemoryBound(to: type)
        }
        guard let readLine = symbol("readline", as: ReadLine.self), let addHistory = symbol("add_history", as: AddHistory.self),
            let writeHistory = symbol("write_history", as: AddHistory.self), let readHistory = symbol("read_history", as: AddHistory.self),
            let limit = symbol("stifle_history", as: (@convention(c) (CInt) -> Void).self),
            let matches = symbol("rl_completion_matches", as: Matches.self),
            let initialize = symbol("rl_initialize", as: (@convention(c) () -> CInt).self),
            let bind = symbol("rl_parse_and_bind", as: AddHistory.self),
            let hook = variable("rl_attempted_completion_function", of: Completion?.self),
            let breaks = variable("rl_completer_word_break_characters", of: UnsafePointer<CChar>?.self),
            let line = variable("rl_line_buffer", of: UnsafeMutablePointer<CChar>?.self)
        else { return nil }
        (self.readLine, self.addHistory, self.writeHistory) = (readLine, addHistory, writeHistory)
        // The library drops the characters that the locale lacks.
        if setlocale(LC_CTYPE, "") == nil || String(cString: nl_langinfo(CInt(CODESET))) != "UTF-8" { setlocale(LC_CTYPE, "C.UTF-8") }
        LineEditor.state.withLock { state in
            state.completion = completion
            state.matches = matches
            state.line = line
        }
        tcgetattr(STDIN_FILENO, &settings)
        _ = initialize()
        // It lives as long as the process.
        breaks.pointee = UnsafePointer(strdup(" \t\n\"'`(){}[],<>=!&|+*/"))
        hook.pointee = { word, _, _ in LineEditor.complete(String(cString: word)) }
        limit(1_000)
        // Opening a pipe would wait for its writer.
        let status = try? PosixFileSystem.shared.status(of: LineEditor.historyPath)
        let isReadable = status == nil || status?.kind == .regular
        ownsHistory = isReadable && (readHistory(LineEditor.historyPath) == 0 || status == nil || status?.size == 0)
        _ = bind("bind ^C ed-start-over")
        // One that comes when the command that it was for has just ended.
        signal(SIGINT) { _ in }
    }

    /// Returns the next line; `nil` at the end of the input.
    func line(prompt: String) -> String? {
        if takesEnd() { return nil }
        // The character of an interrupt is one of the line, which it empties: the library would end with its signal.
        var typing = settings
        typing.c_cc.0 = 0
        tcsetattr(STDIN_FILENO, TCSADRAIN, &typing)
        defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) }
        guard let typed = readLine(prompt) else { return nil }
        defer { free(typed) }
        let line = String(cString: typed)
        if !line.trimmed.isEmpty, line != last { _ = addHistory(line) }
        last = line
        return line
    }

    /// Returns whether the end of the input, ^D, was typed while a command ran, and takes it.
    ///
    /// Without lines before it, it is a read of nothing, as the terminal collects lines meanwhile. In the library's mode it would be a NUL,
    /// which the library takes for the key that quotes the next one.
    private func takesEnd() -> Bool {
        var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        var (count, byte): (CInt, UInt8) = (0, 0)
        guard StrataPlatform.poll(&poll, 1, 0) > 0, ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0, count == 0 else { return false }
        return read(STDIN_FILENO, &byte, 1) < 1 || byte == 0
    }

    /// Writes the history, which its user alone may read.
    func end() {
        guard ownsHistory else { return }
        let mask = umask(0o077)
        _ = writeHistory(LineEditor.historyPath)
        umask(mask)
    }

    private static func complete(_ word: String) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        let matches = state.withLock { state in
            let line = state.line?.pointee.map { String(cString: $0) } ?? ""
            state.candidates = state.completion?.candidates(for: word, in: line) ?? []
            return state.matches
        }
        return matches?(word) { _, index in
            LineEditor.state.withLock { state in
                state.candidates.isEmpty ? nil : strdup(state.candidates.removeFirst())
            }
        }
    }
}
