import Synchronization

// Functions of Objective-C's run time, which Core Data's module has on Apple's systems, too.

/// Locks an object for the calling thread, which may lock it again; returns 0.
///
/// Blocks until no other thread has locked the object.
@discardableResult
public func objc_sync_enter(_ object: Any) -> Int32 {
    let lock = ObjectLocks.locks.withLock { locks in
        locks[ObjectIdentifier(object as AnyObject), default: (NSRecursiveLock(), 0)].users += 1
        return locks[ObjectIdentifier(object as AnyObject)]?.lock
    }
    lock?.lock()
    return 0
}

/// Unlocks an object that the calling thread has locked; returns 0, and another number where no thread has.
@discardableResult
public func objc_sync_exit(_ object: Any) -> Int32 {
    let id = ObjectIdentifier(object as AnyObject)
    guard let lock = ObjectLocks.locks.withLock({ $0[id]?.lock }) else { return -1 }
    lock.unlock()
    ObjectLocks.locks.withLock { locks in
        locks[id]?.users -= 1
        if locks[id]?.users == 0 { locks[id] = nil }
    }
    return 0
}

/// The locks of objects that threads have locked or wait for.
private enum ObjectLocks {
    static let locks = Mutex<[ObjectIdentifier: (lock: NSRecursiveLock, users: Int)]>([:])
}
