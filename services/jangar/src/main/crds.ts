/**
 * Applies the chart's CustomResourceDefinitions and ends: for a Job before `helm upgrade`, which never touches them
 * itself.
 */
import { join } from 'node:path'
import { ConfigError, parseConfig } from '@agents/config'
import { systemClock } from '@agents/controller'
import { createKubeClient, systemEffects } from '@agents/kube'
import { createLogger } from '@agents/log'
import { connect } from '@agents/process'
import { shared } from '../config/shared.ts'
import { readDefinitionFiles } from '../server/definitions/definition-files.ts'
import { upgradeDefinitions } from '../server/definitions/upgrade-definitions.ts'

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'charts', 'agents', 'crds')

try {
  const { log } = parseConfig({ log: shared.log }, process.env)
  const logger = createLogger({ sink: process.stderr, level: log.level })
  const client = createKubeClient(await connect(systemEffects(process.env)), {
    userAgent: 'agents-crds',
  })
  try {
    const ports = { client, clock: systemClock, log: logger, timeoutMs: 60_000 }
    await upgradeDefinitions(await readDefinitionFiles(folder), ports)
  } finally {
    client.close()
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof ConfigError ? 78 : 1
}
