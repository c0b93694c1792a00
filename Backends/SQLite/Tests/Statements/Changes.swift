import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

@testable import StrataSQLite

extension StatementSnapshot {
    /// What change sets and batch requests become.
    static let changes: [StatementSnapshot] = [
        .init(
            "Rows are inserted",
            """
            INSERT OR FAIL INTO ZPERSON (Z_PK, Z_OPT, ZAGE, ZBORN, ZBOSS, Z2_BOSS, ZDEPT, ZEMAIL, ZNAME, ZPAY, ZPHOTO, ZRATE,
            ZBONUS, Z_ENT)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 3); -- 9, 1, NULL, NULL, NULL, NULL, NULL, NULL, 'Eve', NULL, NULL,
            NULL, 5
            UPDATE Z_PRIMARYKEY
            SET Z_MAX = ?1
            WHERE Z_ENT = 2 AND IFNULL(Z_MAX, 0) < ?1; -- 9, 9
            """
        ) { studio in
            try studio.statements { transaction in
                var changes = ChangeSet()
                changes.inserted = [try row(studio.model, "Manager", 9, ["name": "Eve", "bonus": 5])]
                _ = try transaction.apply(changes)
            }
        },
        .init(
            "A row is updated over the version expected",
            """
            UPDATE ZPERSON
            SET ZAGE = ?, Z_OPT = ?
            WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) & 4294967295 = ?; -- 31, 2, 1, 1
            """
        ) { studio in
            try studio.statements { transaction in
                let update = RowUpdate(
                    row: try row(studio.model, "Person", 1, ["age": 31], version: 2), changedSlots: try slots(studio.model, "Person", "age")
                )
                var changes = ChangeSet()
                changes.updated = [update]
                _ = try transaction.apply(changes)
            }
        },
        .init(
            "A row is deleted, with its links and external values",
            """
            SELECT ZPHOTO
            FROM ZPERSON
            WHERE Z_PK = ?1; -- 1
            DELETE
            FROM ZPERSON
            WHERE Z_PK = ?1 AND IFNULL(Z_OPT, 0) & 4294967295 = ?2; -- 1, 1
            DELETE
            FROM Z_2PROJECTS
            WHERE Z_2MEMBERS = ?1; -- 1
            UPDATE Z_PRIMARYKEY
            SET Z_MAX = ?1
            WHERE Z_ENT = 2 AND IFNULL(Z_MAX, 0) < ?1; -- 1, 1
            """
        ) { studio in
            try studio.statements { transaction in
                var changes = ChangeSet()
                changes.deleted = [RowDeletion(entity: try studio.entity("Person").index, reference: 1, expectedVersion: 1)]
                _ = try transaction.apply(changes)
            }
        },
        .init(
            "An ordered link is made and removed",
            """
            INSERT INTO Z_2PROJECTS (Z_2MEMBERS, Z_4PROJECTS, Z_FOK_2MEMBERS)
            VALUES (?1, ?2, ?4)
            ON CONFLICT (Z_2MEMBERS, Z_4PROJECTS) DO UPDATE
            SET Z_FOK_2MEMBERS = IFNULL(?4, Z_FOK_2MEMBERS); -- 1, 1, 1024, 1024
            DELETE
            FROM Z_2PROJECTS
            WHERE Z_2MEMBERS = ?1 AND Z_4PROJECTS = ?2; -- 1, 1
            """
        ) { studio in
            try studio.statements { transaction in
                var changes = ChangeSet()
                let link = Link(first: 1, second: 1, orderInSecond: 1024)
                changes.links = [LinkChange(table: 0, kind: .put, link: link), LinkChange(table: 0, kind: .remove, link: link)]
                _ = try transaction.apply(changes)
            }
        },
        .init(
            "References are set aside",
            """
            SELECT max(IFNULL((SELECT Z_MAX
            FROM Z_PRIMARYKEY
            WHERE Z_ENT = ?), 0), IFNULL((SELECT max(Z_PK)
            FROM ZSTEP), 0), 0); -- 5
            UPDATE Z_PRIMARYKEY
            SET Z_MAX = ?
            WHERE Z_ENT = ?; -- 4, 5
            """
        ) { studio in
            try studio.statements { transaction in
                _ = try transaction.reserveReferences(3, root: try studio.entity("Step").index)
            }
        },
        .init(
            "A batch update with a constant",
            """
            UPDATE ZPERSON AS t0
            SET Z_OPT = IFNULL(Z_OPT, 0) + 1 & 4294967295, ZNAME = ?
            WHERE t0.ZAGE > ?; -- 'X', 1
            """
        ) { studio in
            try studio.statements { transaction in
                _ = try transaction.update(
                    studio.plan("Person", key("age") > 1, .count), studio.assignments("Person", ["name": "X"]))
            }
        },
        .init(
            "A batch update with a computed value",
            """
            UPDATE ZPERSON AS t0
            SET Z_OPT = IFNULL(Z_OPT, 0) + 1 & 4294967295, ZAGE = CASE WHEN ((t0.ZAGE + ?) BETWEEN ? AND ? OR (t0.ZAGE + ?) IS
            NULL) THEN (t0.ZAGE + ?) ELSE strata_core() END; -- 1, -2147483648, 2147483647, 1, 1
            """
        ) { studio in
            try studio.statements { transaction in
                let more = QueryExpression.function(.add, [key("age"), .constant(1)])
                _ = try transaction.update(studio.plan("Person", nil, .count), studio.assignments("Person", [:], ["age": more]))
            }
        },
        .init(
            "A batch update of values at the end of a path",
            """
            UPDATE ZSTEP AS t0
            SET Z_OPT = IFNULL(Z_OPT, 0) + 1 & 4294967295, ZHOURS = ?
            WHERE t0.Z_PK IN (SELECT Z_PK
            FROM (SELECT t0.Z_PK, t0.Z_ENT
            FROM ZSTEP t0
            LEFT JOIN ZPROJECT t1 ON t1.Z_PK = t0.ZPROJECT
            WHERE t1.ZTITLE = ?))
            RETURNING Z_PK, Z_ENT; -- 8, 'x'
            """
        ) { studio in
            try studio.statements { transaction in
                _ = try transaction.update(
                    studio.plan("Step", key("project.title") == "x"), studio.assignments("Step", ["hours": 8]))
            }
        },
        .init(
            "A batch deletion",
            """
            SELECT max(Z_PK)
            FROM ZSTEP;
            DELETE
            FROM ZSTEP AS t0
            WHERE t0.ZHOURS > ?; -- 1
            UPDATE Z_PRIMARYKEY
            SET Z_MAX = ?1
            WHERE Z_ENT = 5 AND IFNULL(Z_MAX, 0) < ?1; -- 1, 1
            """
        ) { studio in
            try studio.statements { transaction in
                _ = try transaction.delete(studio.plan("Step", key("hours") > 1, .count))
            }
        },
        .init(
            "A batch deletion with a limit",
            """
            SELECT max(Z_PK)
            FROM ZSTEP;
            DELETE
            FROM ZSTEP AS t0
            WHERE t0.Z_PK IN (SELECT Z_PK
            FROM (SELECT t0.Z_PK, t0.Z_ENT
            FROM ZSTEP t0
            WHERE t0.ZHOURS > ?
            ORDER BY t0.ZTITLE, t0.Z_PK
            LIMIT ?)); -- 1, 2
            UPDATE Z_PRIMARYKEY
            SET Z_MAX = ?1
            WHERE Z_ENT = 5 AND IFNULL(Z_MAX, 0) < ?1; -- 1, 1
            """
        ) { studio in
            try studio.statements { transaction in
                var plan = try studio.plan("Step", key("hours") > 1, .count)
                plan.sort = [try ResolvedSort(QuerySort("title"), of: plan.entity, in: studio.model)]
                plan.limit = 2
                _ = try transaction.delete(plan)
            }
        },
    ]
}
