import { oneOf, retired, text } from '@agents/config'

const connection = {
  doc: 'How to reach PostgreSQL, as a connection URL.',
  chart: 'database.secretRef',
  secret: true,
  expected: 'a URL that starts with postgres:// or postgresql://',
  // Not parsed as a URL: PostgreSQL allows several hosts in one.
  check: (value: string) =>
    /^postgres(?:ql)?:\/\//.test(value) ? undefined : 'it must start with postgres://',
} as const

const tls = {
  sslMode: oneOf(
    'PGSSLMODE',
    ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'],
    { doc: 'How TLS to PostgreSQL is demanded, in the words of libpq.', optional: true },
  ),
  sslRootCert: text('PGSSLROOTCERT', {
    doc: "The file with the certificate authority of PostgreSQL's certificate.",
    chart: 'database.caSecret',
    optional: true,
  }),
}

/** For a program that is there for the database alone. */
export const requiredDatabase = {
  url: text('DATABASE_URL', connection),
  ...tls,
}

/** For a process that does without an archive when it has nowhere to keep it. */
export const optionalDatabase = {
  url: text('DATABASE_URL', {
    ...connection,
    doc: `${connection.doc} Not set: finished runs are not archived.`,
    optional: true,
  }),
  ...tls,
}

const SKIP_ALIASES = { disabled: 'skip', false: 'skip', 0: 'skip', off: 'skip' } as const

// Read by neither process; ignored it would migrate a database that its owner asked to leave alone.
const retiredSwitch = retired('JANGAR_SKIP_MIGRATIONS', {
  doc: 'An older way to say JANGAR_MIGRATIONS=skip.',
  fix: 'Remove it and set JANGAR_MIGRATIONS=skip instead.',
})

/** The process that owns the schema: it migrates unless told not to. */
export const ownedMigrations = {
  mode: oneOf('JANGAR_MIGRATIONS', ['auto', 'skip'], {
    doc: 'auto migrates the database at start; skip leaves it as it is, for an emergency.',
    chart: 'env.vars.JANGAR_MIGRATIONS',
    aliases: SKIP_ALIASES,
    fallback: 'auto',
  }),
  retiredSwitch,
}

/** A process that never migrates: there is no other value, so none can be configured. */
export const forbiddenMigrations = {
  mode: oneOf('JANGAR_MIGRATIONS', ['skip'], {
    doc: 'Controllers never migrate the database; any other value stops them at start.',
    chart: 'controllers.env.vars.JANGAR_MIGRATIONS',
    aliases: SKIP_ALIASES,
    fallback: 'skip',
    fix: 'Controllers never run migrations; the control plane does. Remove JANGAR_MIGRATIONS from controllers.env.vars, or set it to skip.',
  }),
  retiredSwitch,
}
