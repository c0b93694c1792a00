import StrataModel
import StrataQuery
import StrataStore

@testable import StrataSQLite

extension StatementSnapshot {
    /// How rows and the destinations of relationships are read.
    static let relationships: [StatementSnapshot] = [
        .init(
            "A row by its reference",
            """
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZHOURS, t0.ZPROJECT, t0.Z_FOK_PROJECT, t0.ZTITLE
            FROM ZSTEP t0
            WHERE t0.Z_PK = ?1; -- 1
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.row(root: try studio.entity("Step").index, reference: 1)
            }
        },
        .init(
            "Rows by few references",
            """
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZHOURS, t0.ZPROJECT, t0.Z_FOK_PROJECT, t0.ZTITLE
            FROM ZSTEP t0
            WHERE t0.Z_PK = ?1; -- 1
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZHOURS, t0.ZPROJECT, t0.Z_FOK_PROJECT, t0.ZTITLE
            FROM ZSTEP t0
            WHERE t0.Z_PK = ?1; -- 2
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.rows(root: try studio.entity("Step").index, references: [2, 1, 2])
            }
        },
        .init(
            "Rows by many references",
            """
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZHOURS, t0.ZPROJECT, t0.Z_FOK_PROJECT, t0.ZTITLE
            FROM ZSTEP t0
            WHERE t0.Z_PK IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?); -- 1, 2, 3, 4, 5, 6, 7, 8, 10, 10, 10, 10, 10, 10, 10, 10
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.rows(root: try studio.entity("Step").index, references: [10] + (1...8).reversed())
            }
        },
        .init(
            "Rows by many references without gaps",
            """
            SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZHOURS, t0.ZPROJECT, t0.Z_FOK_PROJECT, t0.ZTITLE
            FROM ZSTEP t0
            WHERE t0.Z_PK BETWEEN ? AND ?; -- 1, 9
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.rows(root: try studio.entity("Step").index, references: (1...9).reversed())
            }
        },
        .init(
            "A to-many relationship",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZPERSON t0
            WHERE t0.ZDEPT = ?
            ORDER BY t0.Z_PK; -- 1
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.destinations(of: try studio.relationship("Dept", "people"), owner: 1)
            }
        },
        .init(
            "An ordered relationship",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM ZSTEP t0
            WHERE t0.ZPROJECT = ?
            ORDER BY t0.Z_FOK_PROJECT, t0.Z_PK; -- 1
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.destinations(of: try studio.relationship("Project", "steps"), owner: 1)
            }
        },
        .init(
            "An ordered many-to-many relationship",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM Z_2PROJECTS t1
            JOIN ZPERSON t0 ON t0.Z_PK = t1.Z_2MEMBERS
            WHERE t1.Z_4PROJECTS = ?
            ORDER BY t1.Z_FOK_2MEMBERS, t1.Z_2MEMBERS; -- 1
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.destinations(of: try studio.relationship("Project", "members"), owner: 1)
            }
        },
        .init(
            "Its inverse",
            """
            SELECT t0.Z_PK, t0.Z_ENT
            FROM Z_2PROJECTS t1
            JOIN ZPROJECT t0 ON t0.Z_PK = t1.Z_4PROJECTS
            WHERE t1.Z_2MEMBERS = ?
            ORDER BY t1.Z_4PROJECTS; -- 1
            """
        ) { studio in
            try studio.statements { (reader: SQLiteReader) in
                _ = try reader.destinations(of: try studio.relationship("Person", "projects"), owner: 1)
            }
        },
    ]
}
