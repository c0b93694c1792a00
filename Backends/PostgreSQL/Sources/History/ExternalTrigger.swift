import StrataSQL

/// The triggers by which the server adds the changes of other programs to the log of a store with a history.
///
/// Each table of the store's has one. Its condition is false in Strata's own sessions, which add what they change with their commit: a
/// row costs them the evaluation of a setting, and no call or round trip. Elsewhere the function adds a row to the log for each changed
/// row, which readers of the log find as those of other stores.
struct ExternalTrigger {
    let schema: String

    /// The name of the triggers, and of their function.
    static let name = "strata_external"
    /// The writer of the entries in the log.
    static let writer = "external"
    /// The statement that marks a session as one of Strata's.
    static let markingSession = SQLText("SET strata.session = 'on'")

    private var function: QualifiedName { QualifiedName(schema: schema, name: ExternalTrigger.name) }
    private var log: QualifiedName { ChangeTable(schema: schema).name }

    /// The statement that drops the function; the triggers are dropped with their tables.
    var removal: SQLText { "DROP FUNCTION IF EXISTS \(function)()" }

    /// Creates the triggers of the tables that have none.
    ///
    /// A role that may not create them, or that would wait too long for the tables, opens the store all the same.
    func install(_ tables: [QualifiedName], in server: ServerLocation, _ connection: Connection) throws {
        if try missing(tables, connection).isEmpty { return }
        do {
            try server.change(connection, .open) { _ in
                let missing = try missing(tables, connection)
                if missing.isEmpty { return }
                let triggers = missing.map { table -> SQLText in
                    """
                    CREATE TRIGGER \(identifier: ExternalTrigger.name) AFTER INSERT OR UPDATE OR DELETE ON \(table) FOR EACH ROW \
                    WHEN (pg_catalog.current_setting('strata.session', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION \(function)(); 
                    """
                }
                try connection.run([creation] + triggers, .open)
            }
        } catch let error as StoreError where error.code == .denied || error.code == .locked {
            try connection.run(SQLText("ROLLBACK"), .open)
        }
    }

    private func missing(_ tables: [QualifiedName], _ connection: Connection) throws -> [QualifiedName] {
        let sql: SQLText = """
            SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = \(bind: .text(schema)) AND c.relkind = 'r' AND c.relname = ANY(\(bind: ArrayValues(tables.map(\.name)).parameter)) \
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = \(literal: ExternalTrigger.name)) \
            ORDER BY c.relname
            """
        let result = try connection.execute(sql, .open)
        return (0..<result.count).compactMap { result.text($0, 0) }.map { QualifiedName(schema: schema, name: $0) }
    }

    /// The function, which runs with the rights of its owner: other programs need none for the log.
    ///
    /// An entry has the changed columns before and after, those of links and of new and deleted rows all, of which only numbers have
    /// values, but for deleted rows.
    private var creation: SQLText {
        """
        CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          former jsonb; latter jsonb; is_row boolean;
        BEGIN
          IF TG_OP <> 'INSERT' THEN former := to_jsonb(OLD); END IF;
          IF TG_OP <> 'DELETE' THEN latter := to_jsonb(NEW); END IF;
          IF former = latter THEN RETURN NULL; END IF;
          is_row := coalesce(former, latter) ? '_id';
          EXECUTE format('INSERT INTO %I.strata_changes (committed, writer, save, context, kind, relation, refs) '
            'VALUES (clock_timestamp(), ''external'', '''', $1, $2, $3, $4)', TG_TABLE_SCHEMA) USING
            jsonb_build_object(
              'former', (SELECT jsonb_object_agg(key, CASE WHEN latter IS NULL OR jsonb_typeof(value) = 'number' THEN value END)
                FROM jsonb_each(former)
                WHERE latter IS NULL OR NOT is_row OR key IN ('_id', '_entity') OR value IS DISTINCT FROM latter -> key),
              'latter', (SELECT jsonb_object_agg(key, CASE WHEN jsonb_typeof(value) = 'number' THEN value END)
                FROM jsonb_each(latter)
                WHERE former IS NULL OR NOT is_row OR key IN ('_id', '_entity') OR value IS DISTINCT FROM former -> key))::text,
            CASE WHEN is_row THEN lower(TG_OP) ELSE 'link' END, TG_TABLE_NAME::text,
            CASE WHEN is_row THEN ARRAY(SELECT DISTINCT id::bigint FROM unnest(ARRAY[former ->> '_id', latter ->> '_id']) id
              WHERE id IS NOT NULL) END;
          RETURN NULL;
        END $$; 
        CREATE INDEX IF NOT EXISTS \(identifier: ExternalTrigger.name) ON \(log) (transaction) WHERE writer = 'external' AND save = ''; 
        """
    }

    // MARK: - Reading

    /// The query whether changes of other programs are not in the history yet.
    var isPending: SQLText { "SELECT EXISTS (SELECT FROM \(log) WHERE writer = 'external' AND save = '')" }

    /// The condition of entries that must not be pruned.
    static let isPending: SQLText = "(writer = 'external' AND save = '')"

    /// The statement that takes the changes to be added to the history: a row for each column before and after, in their order.
    var taking: SQLText {
        """
        WITH taken AS (UPDATE \(log) SET save = 'recorded' WHERE writer = 'external' AND save = '' \
        RETURNING committed, relation, context::jsonb AS content) SELECT t.number, t.relation, v.is_latter, v.key, v.value \
        FROM (SELECT pg_catalog.row_number() OVER (ORDER BY committed) AS number, relation, content FROM taken) t \
        CROSS JOIN LATERAL (SELECT false AS is_latter, key, value FROM pg_catalog.jsonb_each_text(NULLIF(content -> 'former', 'null')) \
        UNION ALL SELECT true, key, value FROM pg_catalog.jsonb_each_text(NULLIF(content -> 'latter', 'null'))) v ORDER BY t.number
        """
    }
}
