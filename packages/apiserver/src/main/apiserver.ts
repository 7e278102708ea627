import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chooseFormat, createLogger, type LogLevel, logLevels } from '@agents/log'
import { writePrivate } from '../auth/pki/key-folder.ts'
import { parseTokenFile } from '../auth/tokens/token-file.ts'
import { limitHeapGrowth } from '../heap-growth.ts'
import { startApiServer } from '../server.ts'
import { type Flags, parseFlags, UsageError, usage } from './flags.ts'

/** Exit codes of sysexits(3): EX_USAGE for an invalid command line, EX_SOFTWARE for a failure. */
const exitUsage = 64
const exitFailure = 70

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(usage)
    return
  }
  const flags = readFlags()
  if (flags === undefined) return
  limitHeapGrowth()
  const logger = createLogger({
    // Standard output is reserved for the readiness line.
    sink: process.stderr,
    level: levelOf(flags.logLevel),
    ...chooseFormat('auto', {
      isTerminal: process.stderr.isTTY,
      noColor: process.env.NO_COLOR !== undefined,
    }),
  })
  const certDir =
    flags.certDir ?? (flags.dataDir === undefined ? undefined : join(flags.dataDir, 'pki'))
  const tokens = flags.tokenFile === undefined ? '' : await readFile(flags.tokenFile, 'utf8')
  const server = await startApiServer({
    port: flags.port,
    logger,
    authorizationMode: flags.authorizationMode,
    disabledAdmission: flags.disabledAdmission,
    staticTokens: parseTokenFile(tokens),
    // The supervisor of the process restarts it from what is on disk.
    onFatal: () => process.exit(exitFailure),
    ...(flags.historyEvents === undefined ? {} : { historyEvents: flags.historyEvents }),
    ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
    ...(certDir === undefined ? {} : { certDir }),
  })
  if (flags.kubeconfig !== undefined) await writePrivate(flags.kubeconfig, server.kubeconfig)
  let stopping = false
  const stop = (signal: string): void => {
    // A second signal stops the process without waiting.
    if (stopping) process.exit(exitFailure)
    stopping = true
    logger.info('stopping', { signal })
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error('shutdown failed', { error })
        process.exit(exitFailure)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.stdout.write(`ready ${server.url}\n`)
}

function readFlags(): Flags | undefined {
  try {
    return parseFlags(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exitCode = exitUsage
    return undefined
  }
}

function levelOf(text: string): LogLevel {
  return logLevels.find((level) => level === text) ?? 'info'
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(exitFailure)
})
