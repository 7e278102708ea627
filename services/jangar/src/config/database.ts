import { oneOf, retired, text } from '@agents/config'

const connection = {
  doc: 'Connection URL of PostgreSQL.',
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
    { doc: 'TLS mode of the connection to PostgreSQL, as in libpq.', optional: true },
  ),
  sslRootCert: text('PGSSLROOTCERT', {
    doc: "The file with the certificate authority of PostgreSQL's certificate.",
    chart: 'database.caSecret',
    optional: true,
  }),
}

/** For a program that cannot work without the database. */
export const requiredDatabase = {
  url: text('DATABASE_URL', connection),
  ...tls,
}

/** For a process that runs without an archive if no database is configured. */
export const optionalDatabase = {
  url: text('DATABASE_URL', {
    ...connection,
    doc: `${connection.doc} If unset, finished runs are not archived.`,
    optional: true,
  }),
  ...tls,
}

const skipAliases = { disabled: 'skip', false: 'skip', 0: 'skip', off: 'skip' } as const

// If it were ignored, a database would be migrated although its owner asked not to.
const retiredSwitch = retired('JANGAR_SKIP_MIGRATIONS', {
  doc: 'Former name of JANGAR_MIGRATIONS=skip.',
  fix: 'Remove it and set JANGAR_MIGRATIONS=skip instead.',
})

/** For the process that owns the schema and migrates it by default. */
export const ownedMigrations = {
  mode: oneOf('JANGAR_MIGRATIONS', ['auto', 'skip'], {
    doc: 'auto migrates the database at start; skip does not, for emergencies.',
    chart: 'env.vars.JANGAR_MIGRATIONS',
    aliases: skipAliases,
    fallback: 'auto',
  }),
  retiredSwitch,
}

/** For a process that never migrates: no other value is valid. */
export const forbiddenMigrations = {
  mode: oneOf('JANGAR_MIGRATIONS', ['skip'], {
    doc: 'Controllers never migrate the database; any other value stops them at start.',
    chart: 'controllers.env.vars.JANGAR_MIGRATIONS',
    aliases: skipAliases,
    fallback: 'skip',
    fix: 'Controllers never run migrations; the control plane does. Remove JANGAR_MIGRATIONS from controllers.env.vars, or set it to skip.',
  }),
  retiredSwitch,
}
