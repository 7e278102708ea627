import { setTimeout as delay } from 'node:timers/promises'
import { defineCommand } from '../cli/command.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import { findStateDir } from '../cluster/choose-kubeconfig.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import {
  type PlatformRecord,
  readPlatformRecord,
  readRunningPlatform,
  removePlatformRecord,
} from '../running-platform/platform-record.ts'
import { queryPlatform } from '../running-platform/query-platform.ts'

export const downCommand = defineCommand({
  about:
    'All state is kept, and agentctl up continues with it. To start from scratch, remove the state folder afterwards.',
  options: {
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'How long to wait for the platform to stop. Defaults to 30s.',
    },
    'state-dir': clusterOptions['state-dir'],
    quiet: { type: 'boolean', short: 'q', help: 'Print nothing on success.' },
  },
  examples: [{ does: 'stop the platform', line: 'agentctl down' }],
  run: async ({ values }, context) => {
    const printLine = (line: string): void => {
      if (!values.quiet) context.stdout.write(`${line}\n`)
    }
    const waitMs = parseDuration('--timeout', values.timeout ?? '30s')
    const stateDir = await findStateDir(values, context)
    const record = await readPlatformRecord(stateDir)
    const answer = record === undefined ? 'gone' : await queryPlatform(record, 'stop', waitMs)
    if (record === undefined || answer === 'gone') {
      // A killed platform leaves its record behind.
      if (record !== undefined) await removeLeftRecord(stateDir, record)
      printLine(`No platform is running in ${stateDir}.`)
      return exitCode.done
    }
    const stuck = new CommandFailure(`process ${record.pid} did not stop in time`, {
      code: exitCode.timedOut,
      advice: [`See ${stateDir}/platform.log. To end it anyway: kill ${record.pid}`],
    })
    if (answer === 'silent') throw stuck
    const deadline = performance.now() + waitMs
    while ((await readRunningPlatform(stateDir))?.token === record.token) {
      if (performance.now() > deadline) throw stuck
      await delay(50, undefined, { signal: context.stop })
    }
    printLine(`Stopped the platform in ${stateDir} (process ${record.pid}).`)
    return exitCode.done
  },
})

/** Removes the record unless another platform has been started in the meantime. */
async function removeLeftRecord(stateDir: string, { token }: PlatformRecord): Promise<void> {
  const current = await readPlatformRecord(stateDir)
  if (current?.token === token) await removePlatformRecord(stateDir)
}
