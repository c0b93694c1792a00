import CStrataSQLite
import FoundationEssentials
import StrataStore

/// A store in the layout of SwiftData, written with plain SQL: of classes `Banquet`, `Platter`, `Portion` and `Topping`
/// with enumerations, structures, arrays, and relationships of every kind.
///
/// Its metadata and its compiled model were computed without Strata.
package enum SwiftDataStore {
    /// The statements that make the store, with two platters.
    package static let statements: [String] = [
        "PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL",
        "CREATE TABLE ZBANQUET ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR )",
        """
        CREATE TABLE Z_1PLATTERS ( Z_1BANQUETS INTEGER, Z_2PLATTERS INTEGER, PRIMARY KEY (Z_1BANQUETS, Z_2PLATTERS) )
        """,
        """
        CREATE TABLE ZPLATTER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLEVEL INTEGER, ZENERGY INTEGER, \
        ZSERVINGS INTEGER, ZVEGAN INTEGER, ZCREATED TIMESTAMP, ZPROTEIN FLOAT, ZPRICE DECIMAL, ZNAME VARCHAR, ZCOURSE VARCHAR, \
        ZNAME1 VARCHAR, ZHOT VARCHAR, ZCOLD VARCHAR, ZSITE VARCHAR, ZID BLOB, ZID1 BLOB, ZTAGS BLOB, ZLABELS BLOB, ZSTEPS BLOB, \
        ZPHOTO BLOB )
        """,
        """
        CREATE TABLE ZPORTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPLATTER INTEGER, ZAMOUNT FLOAT, \
        ZUNIT VARCHAR )
        """,
        """
        CREATE TABLE ZTOPPING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z2TOPPINGS INTEGER, ZNAME VARCHAR )
        """,
        "CREATE INDEX Z_1PLATTERS_Z_2PLATTERS_INDEX ON Z_1PLATTERS (Z_2PLATTERS, Z_1BANQUETS)",
        "CREATE INDEX Z_Platter_SwiftDataIndexOnBinarycreated ON ZPLATTER (ZCREATED COLLATE BINARY ASC)",
        """
        CREATE INDEX Z_Platter_SwiftDataIndexOnBinarycreatedservings ON ZPLATTER (ZCREATED COLLATE BINARY ASC, \
        ZSERVINGS COLLATE BINARY ASC)
        """,
        "CREATE UNIQUE INDEX Z_Platter_UNIQUE_name ON ZPLATTER (ZNAME1 COLLATE BINARY ASC)",
        "CREATE INDEX ZPORTION_ZPLATTER_INDEX ON ZPORTION (ZPLATTER)",
        "CREATE INDEX ZTOPPING_Z2TOPPINGS_INDEX ON ZTOPPING (Z2TOPPINGS)",
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Banquet', 0, 1), (2, 'Platter', 0, 2), (3, 'Portion', 0, 2), (4, 'Topping', 0, 2)",
        "INSERT INTO Z_METADATA VALUES (1, '5DB1BCD1-2C7B-4D2B-9C39-0E0E43F0A7C1', \(hex(metadata)))",
        "INSERT INTO Z_MODELCACHE VALUES (\(hex(cache)))",
        "INSERT INTO ZBANQUET VALUES (1, 1, 1, 'Spring')", "INSERT INTO Z_1PLATTERS VALUES (1, 1), (1, 2)",
        """
        INSERT INTO ZPLATTER VALUES (1, 2, 3, 2, 450, 4, 1, 700000000.25, 12.5, 9.75, 'Ada', 'dessert', 'Soup', 'hot', NULL, \
        'https://example.org/ada', x'11111111222243338444555555555555', x'AAAAAAAABBBB4CCC8DDDEEEEEEEEEEEE', \(hex(tags)), \
        CAST('["spicy","low fat"]' AS BLOB), CAST('[{"text":"Boil 1\\/2 l.","minutes":5},{"minutes":1,"text":"Serve."}]' AS BLOB), \
        x'01cafe')
        """,
        """
        INSERT INTO ZPLATTER VALUES (2, 2, 1, NULL, 0, 2, 0, 700000001, 0, 3, NULL, 'starter', 'Bread', NULL, NULL, NULL, NULL, \
        x'0123456789AB4DEF8123456789ABCDEF', \(hex(tags)), CAST('[]' AS BLOB), CAST('[]' AS BLOB), NULL)
        """,
        "INSERT INTO ZPORTION VALUES (1, 3, 1, 1, 0.5, 'l'), (2, 3, 1, 1, 2, 'piece')",
        "INSERT INTO ZTOPPING VALUES (1, 4, 1, 1, 'Chives'), (2, 4, 1, NULL, 'Salt')",
    ]

    /// The tables of SwiftData's history, which is always on, with the transaction that inserted the objects.
    package static let history: [String] = [
        """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, \
        ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )
        """,
        """
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, \
        ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
        ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
        """,
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2), (16002, 'TRANSACTION', 0, 1), (16003, 'TRANSACTIONSTRING', 0, 1)",
        "INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'org.example.Kitchen')",
        "INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, NULL, 1, NULL, 1, 700000000, NULL, NULL, NULL, NULL, NULL)",
        "INSERT INTO ACHANGE VALUES (1, 16001, NULL, 0, 2, 1, 1, NULL), (2, 16001, NULL, 0, 2, 2, 1, NULL)",
    ]

    /// Makes the store at a path.
    package static func make(at path: String, withHistory: Bool = false) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        let code = sqlite3_open(path, &database)
        let script = (statements + (withHistory ? history : [])).joined(separator: ";\n")
        guard code == SQLITE_OK, sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK else {
            throw StoreError(.io, .open, String(cString: sqlite3_errmsg(database)), path: path)
        }
    }

    /// Returns the rows of a statement, each column as `quote` shows it in SQL.
    package static func query(_ sql: String, at path: String) throws -> [[String]] {
        var (database, statement): (OpaquePointer?, OpaquePointer?) = (nil, nil)
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        func check(_ code: Int32, _ expected: Int32...) throws {
            guard !expected.contains(code) else { return }
            throw StoreError(.io, .open, String(cString: sqlite3_errmsg(database)), path: path)
        }
        try check(sqlite3_open(path, &database), SQLITE_OK)
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil), SQLITE_OK)
        var rows: [[String]] = []
        while true {
            let code = sqlite3_step(statement)
            try check(code, SQLITE_ROW, SQLITE_DONE)
            if code == SQLITE_DONE { return rows }
            rows.append(
                (0..<sqlite3_column_count(statement)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? "NULL" })
        }
    }

    /// Returns all objects of the database: the definitions of tables and indexes, and all rows but those of some tables.
    package static func dump(_ path: String, without tables: Set<String> = []) throws -> [String] {
        let catalogue = try query("SELECT type, name, sql FROM sqlite_master ORDER BY name", at: path)
        var lines = catalogue.map { $0.joined(separator: " ") }
        for table in catalogue where table[0] == "table" && !tables.contains(table[1]) {
            let columns = try query("SELECT name FROM pragma_table_info('\(table[1])')", at: path).map { "quote(\"\($0[0])\")" }
            let rows = try query("SELECT \(columns.joined(separator: ", ")) FROM \"\(table[1])\" ORDER BY 1", at: path)
            lines += rows.map { "\(table[1]): \($0.joined(separator: ", "))" }
        }
        return lines
    }

    private static func hex(_ base64: String) -> String {
        "x'" + (Data(base64Encoded: base64) ?? Data()).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() + "'"
    }

    // MARK: - Bytes

    /// An archive of the list of "quick" and "für zwei".
    private static let tags = """
        YnBsaXN0MDDUAQIDBAUGFxpZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKlBwgPFRZVJG51bGzSCQoLDFYkY2xh\
        c3NaTlMub2JqZWN0c4ACog0OgAOABNIQERITWCRjbGFzc2VzWiRjbGFzc25hbWWiExRXTlNBcnJheVhOU09iamVjdFVxdWlja2gAZgD8AHIAIAB6AHcAZQBp\
        0RgZVHJvb3SAARIAAYagCBEbJCkyREpQVVxnaWxucHV+iYyUnaO0t7y+AAAAAAAAAQEAAAAAAAAAGwAAAAAAAAAAAAAAAAAAAMM=
        """

    private static let metadata = """
        YnBsaXN0MDDYAQIDBAUGBwgJCgsUFRYYGV8QHU5TUGVyc2lzdGVuY2VGcmFtZXdvcmtWZXJzaW9uXxAeTlNTdG9yZU1vZGVsVmVyc2lvbkNoZWNrc3VtS2V5\
        XxAZTlNTdG9yZU1vZGVsVmVyc2lvbkhhc2hlc18QH05TU3RvcmVNb2RlbFZlcnNpb25IYXNoZXNEaWdlc3RfECBOU1N0b3JlTW9kZWxWZXJzaW9uSGFzaGVz\
        VmVyc2lvbl8QHk5TU3RvcmVNb2RlbFZlcnNpb25JZGVudGlmaWVyc1tOU1N0b3JlVHlwZV8QEl9OU0F1dG9WYWN1dW1MZXZlbBEFhl8QLFdwNFd4eTU4UndY\
        U3ZqamZVdkMrOEdkejhOM2M2M3J0d1g5SWxzL0d0bms91AwNDg8QERITV0JhbnF1ZXRXUGxhdHRlcldQb3J0aW9uV1RvcHBpbmdPECD5G1eyxALZkXYEqcPi\
        JNdFGmcofMzliB4qUkBHorEGbU8QIKhi2dQXavTWRtz1fOcjP5omAWrRPzIbLLjN4AfrdrUCTxAg8hXpMGYIVza+9AOlio9AFkiLBaaQnDpo7LK+BFE5iqVP\
        ECAoM+aGCuiq+rTo6//vG26OSzWxwuJp0S3oRq7U8bit3F8QWHNwMFNiYis2SktRVWFoQjlEVDJqeDRlak9jVTRCL3hITW1WQTV0QU1Jd1ZmNk9MdXFVVTJv\
        WFExQkE5eU9idDRnN1hWU1ZVeEUvRU92WTh0K2M5MnZRPT0QA6EXVTEuMC4wVlNRTGl0ZVEyAAgAGQA5AFoAdgCYALsA3ADoAP0BAAEvATgBQAFIAVABWAF7\
        AZ4BwQHkAj8CQQJDAkkCUAAAAAAAAAIBAAAAAAAAABoAAAAAAAAAAAAAAAAAAAJS
        """

    /// The keyed archive of the compiled model, deflated.
    private static let cache = """
        fVcJfBTlFX9vdmZ3Zmd3ZiJXwhXAACIYI4cKRjTcEQgx2U3CuW42k2TNZnfZA4h4PJD7UlHxqGJ2wVJbK9qKB16ltbba1lbRImot2lq03tXWKlr7ZjebTRtg\
        3293v/nmfe/7v/v7GqOhYDxRVvYKIAhgAxEksONdeM/CEn8s0BpcYcYaSiKNV5qBRNxTkohEG0p4Kh6MhH2GXlU71+wwmyq6GPcbO8ABMvSDoXAmnAVj4Gw4\
        Dy6GqXAJTIPpsACqoRYWwzLwQxO0QA20QhCuhOUQgwQkYQVcBdfBWtgMW2AbhOEGuBFuhdvhDrgT7oFOSEEavs/z98GP4UF4CH4CP4UD8Ag8DgfhCXgGfgY/\
        h1/Db+AP8BK8Aq/CH+F1eAPehLfgz/A2r3sXjsN78DH8Az6Hf8K/4Ev4N/wHvkMBRZTQjg50oRs1LMASHI1jcByeixNwIl6AU/BSrMBpOB1n42VYhdVYix6s\
        w3pcCGFcgldgAJvwSmzHCEYxgSuxA6/G65DwetyIm3EL3oA7vSXhZCh0BBRwggoucIMGOhhQwHQGf/tA37qSQMgfj/uMvlW1061Rlb/dnBWJzQwngomOJVW1\
        2YE1yw/VsUjUjCWCZnZBjRn2twfDLZVNJnM1B83Ysqpabzi4PGl6ktGQGV/Ej3EzVhlujlBf0sigPlRwNIOnPyMa0ANTIRTxdyAM4t/BMMRnFDCgSHs0kgw3\
        VYabzFXWnoVVtbPMRKA1MzHDjAdiwWiCIyNOTorTcmokkwK99S1mGsbf4TCCltA1dB1d25uphGkkf0fBaLqC1tD1tNbLqofMhqra2kSM1XwZxsI4OAdKG7JG\
        Y/2yA7aCuQdK4Vwo8xn9q2orEszfmEyYPSD6jH7d9uvoMc/SF2SC3UI0HibARJjEmM6HC+BCmAxT4CKm8kzod4v1dERNn1HUY6bOH0qa3f5js88K+VvinCvL\
        8ptab2p81eQoEJ4kuwEkGZ81REP+RILTq746O8jqeClU7IGKrD5Flp/5pWXm1mC0J/RGf5hdnYi/ztBnwEyYBbMz4OdAJStwGcyFeazAFJjPVAhVUM4hNMMM\
        mQmzJhliDfpYj/FEMJyRno00xj7fv2o6uz1hDYPhzJBd7zsJs6WSzxjIryrDVpEweyK1XpJqIAmkkKt+WhZsVsHLoSbN1aDMAhQMWCv8sY7DrIYHvFAH9dBQ\
        X1Vb2mZ2WCFc2lWNSE+zL+anYSEsIpncef4lsLSzMyvZB1ek4Qoo4/UVsZi/42Vm8kIjBOiMLg4TmtPQbJm2Ty69ehjVE4hE2mqCTXWcOt7KGa91R0Vbd1yE\
        oJ2NGoYIU5Q1qIwvyCz1hwrEeVSo0ADjc48VkydbnA2qMMSZojTQEw8mTC/vVTPvZNwrYVWGu4MpWiA+SENocE6j1XvgargGrqUiGkRDs7oRrNkLa3KpUNyV\
        wtYeJ8uJo107Xt9jz3WwHjbAxsyum5iiGTN1i5kZMtu52MRpWIE8kfpTMfWrC0SS7PrTKbuVKUojcsi3p2AHndkwM5xst1Ip78eb4OYU7KRRKbiFRvZEZwnU\
        u9HtYqGWyNugnEpodH0gZvoTpuWyGfyfB/K9biB3wd0ZILuZyhdbLsvWtKYC2zo6m8b0Tv6sky0Xl3tD5gozxIWiKtneaMZOpuge2JuRfy9TtADHUSmdk9N2\
        Xwp+QOfmlfwh/IiVTMH9dN7rvRyQV/KBboH72XZlNP5UBcqKpPLFYXZCMN5qOafODJuxlo7e/FmUDzOV0/n10VgkYQbDvdkezbA9xlRegF/QhXUhf6MZimfN\
        6z+Z+k/CUxm0TzNFC2zv0UU0xRtPmNF4b+lZ3kNM5XRxzka/2AvPwi/hOfgVXUCTqZym5u31PLzQ2ZkPht92y8ra6XfwIsv7PVP5MqtENfuToUSmHtMldClN\
        8kZbI4nIqVC/zKgPM0UNkaZ5o7FgwMzU+hlmINjuD2U93luJI/Aab3qUiU10I82kGfXcZ1dwk6rl3U6XCn9iitIcLjOhptPxHWOK0mU5A72Thr/AX6mS5uZm\
        /pZmScc8JidR3lbvwwdp2Al/pwVp+BA+ovlUdboY+ySz1adMn/Fm82g2VTd06RE/Vfh8wVRONZ4EN7ilmRJbnm3PUzO9qtYMJGOmN9x1lpwVi7T/b9RY0r7K\
        yPsaTrC8b5i+tTosN+6M2zwxfzjeHIm1mzGrhRQ4ZPKSh+q8K8wWf+9wRbBgIX/YF7Zh1PBGVzds690P0cbqWh2xiqmAu2KUsCEaiWVaVn11dlDf1ZNP0VVR\
        RsWSgU50QjGqUG4IZKPFtLSBD8tRy3T1nuzgaC8JWRR6Zr2B1qGnnETydTsQz8A++w2D6+5WrlQRTv44B/ZhjrNP2ezfsI5VvK/BLNgX+2F/HICFWIQDcRAO\
        xiE4FItxGA7HEXgmDaezaCyNowk0kSpoOs2iy6mW6mkhLaJl5M9vORJHWc0zE1V4VgriufHZKRxLTZnGgudgaRpLraYytOcZsKsd9Ogpr4CCZXgeTMLxGVvv\
        5mpbEQ+Y4SY2iM8YcJLVVg+gZp8xpHZlsDlhRUvm7YLwtKB1LOiq7jlUk1J4PmXPgnghTk7jZAvVgFOcTFlNvAjL8WKcipdkMrvnzvHFXc+Zs8qVFKTWXvj/\
        f+ILnzHytEBzCZQDPCONM3EWhag9D2YOVlKEwjmWuWmch/OpjaK5Gc7f3fBF7unyFNZQrM7fbp3FTlGw0YtejqaEJxkOnq4CYQM2cNyvyMlelMLFtDIfDktx\
        mdWe0Ecdp+zA6Of9WA428o6r6KrTpBwfQcP8OwVVTpVCTplofisTm/cw7AZU92ALtmKQkrSars4ztGEoH5rhztN2wPyq5RjjKE5hnCg/mcQVeVGrOvMvrsLV\
        e7kWFPL9pGQvF4h5qKCef30NXtvZ6T2vtKy0LBtza3BtGtdCmdeqdYmMRFyH62ljCjfQhtwOm7pF1TdlW1Je5FbcnsJttCWFO2hzVuiNeFMab7ICua91/g77\
        W8ym7LVkfqTJDL3KgXMz3oK34i68DW/HO/BO/J7PMKyDWbg52JKMZU/di7oOtJkLYi4lakw+d8cTHrPdKmxdV8e67JU+f3OM0zbaSutoPW16Ce/G3Z5YJJKg\
        7WcAbujkG34R3+/H8d1+CivVxhbewVjux8fxOfwTfohf4ld4Ar/F7wQURglTBK9QLywUFgtLBZ/gF64VSFgrrBM2CHuEe4V9wn3Cj4SHhIPCL4TfCkeEt4Qv\
        bbqt0DbJNtsWsIVt19jItta23rbRttm21bbdtsu227bP9oDtBdth2zeiIhaLZ4uTxGqxXYyIy8W4mBRXiteJm8Tt4p3iPnG/eFB8UjwkPif+WnxBPCK+Jh4V\
        3xGPi5+I/xa/Fk9IoqRIxVKJNFoqlRZISySf5JcapSapWWqTtkk7pJulO6SD0lPSM9Ih6QXpJemw9Kp0RDomvW9X7WX2WfY59rn2+fYF9svtDfYO+2r7OvtG\
        +2b7Tvs99rR9r32f/T77i/Y/2F+2v25/2yE4NEeBo4+jn2O840JHhaPRYTpaHEFHzJF0rHSsc2x0bHFscxxwPOp43PFHxzuO92W7LMuGfI5cJo+XJ8uXyn65\
        SW6WW+WwvFXeLu+S75FT8h75Xnmf/LB8QH5EfkP+u/yh/LH8qfwvZYBSpAxShisTlGqlVvEq9YpPCSjrlA3KVuV+5QHlUeVJ5WnlZ8rzyovKYeWY8q5yXPlQ\
        +Vj51FnkHOQc4ix2nuWc6ZztnOdc5FzhvM35oPOnzgPOR52PO59xvun8s/NtVVMNtUgdro5Ra1SPWqc2qIvUgNqm3qjuVG9RU+qz6nH1ffUD9SP1E/Uz9XP1\
        n+qX6lfqCfVb9TsXumwuyeVw9XX1c/V3FbtGuMa6Sl1lrsmuqS6fK+q62rXLdbvrMdch17Ou51y/d73i+th1wu12F7kHuYe4i91l7gp30B1zr3R3uFe7N7m3\
        uLe5b3Xf6b7Lvdu9z32/+4D7MfdB9yH3W+5j7nc1uyZrBVpfrb92pjZKG6ON1aq1Gs2jrdF2aLdqd2m7tU4tre3XHtQe0g5qT2ivae9q72kfaB9pX2sntG90\
        SbfrffTB+kh9vD5Bn6hP0afrc/QqvV5fqC/Rl+ktelRfpa/XN+lb9O36Dfrt+t36w/rz+pv6ce7qhcZAY7Ax1BhmjDBGG+OMUsh8BCH7j53wPx9jwn8B
        """
}
