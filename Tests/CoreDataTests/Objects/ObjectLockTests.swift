import CoreData
import Dispatch
import Testing

@Suite("Functions of Objective-C's run time")
struct ObjectLockTests {
    private final class Counter: @unchecked Sendable { var count = 0 }

    @Test("An object is locked for one thread, which may lock it again") func locks() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 {
                objc_sync_enter(counter)
                objc_sync_enter(counter)
                counter.count += 1
                objc_sync_exit(counter)
                objc_sync_exit(counter)
            }
        }
        #expect(counter.count == 8000)
        #expect(objc_sync_exit(counter) != 0)
    }

    @Test("A validating method takes the pointer of a variable of any class") func pointers() {
        var text: NSString? = "a"
        let value = unsafe withUnsafeMutablePointer(to: &text) { unsafe AutoreleasingUnsafeMutablePointer<AnyObject?>($0).pointee }
        #expect(value as? NSString == "a")
    }
}
