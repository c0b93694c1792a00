import CStrataSQLite

/// The changes by triggers of Core Data's derived attributes, which call functions to report them.
///
/// Used by the one thread that uses the connection.
@safe final class TriggerReports {
    /// A changed value.
    struct Report: Hashable {
        /// The number of the object's entity in the store.
        let entity: Int64
        let reference: Int64
        let attribute: String
    }

    private var reports: Set<Report> = []

    /// Returns the reports since the last call.
    func take() -> Set<Report> {
        defer { if !reports.isEmpty { reports = [] } }
        return reports
    }

    /// Registers the functions on a connection, which retains this as long as its handle is open.
    func register(on handle: OpaquePointer) {
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
            "NSCoreDataTriggerUpdateAffectedObjectValue",
        ] {
            unsafe sqlite3_create_function_v2(handle, name, -1, SQLITE_UTF8 | SQLITE_INNOCUOUS, this, TriggerReports.note, nil, nil, nil)
        }
    }

    /// Records a call `NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT)`.
    private static let note: SQLFunction = { context, count, arguments in
        unsafe sqlite3_result_null(context)
        guard count >= 4, let arguments = unsafe arguments, let this = unsafe sqlite3_user_data(context),
            let attribute = unsafe sqlite3_value_text(arguments[3])
        else { return }
        let reports = unsafe Unmanaged<TriggerReports>.fromOpaque(this).takeUnretainedValue()
        let (entity, reference) = unsafe (sqlite3_value_int64(arguments[1]), sqlite3_value_int64(arguments[2]))
        reports.reports.insert(Report(entity: entity, reference: reference, attribute: unsafe String(cString: attribute)))
    }
}
