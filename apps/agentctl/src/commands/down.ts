import { setTimeout as delay } from 'node:timers/promises'
import { defineCommand } from '../cli/command.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import { chooseStateDir } from '../cluster/choose-kubeconfig.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { askPlatform } from '../platform/ask-platform.ts'
import { readPlatformRecord, readRunningPlatform } from '../platform/platform-record.ts'

export const downCommand = defineCommand({
  name: 'down',
  summary: 'Stop the platform that runs on this machine',
  about:
    'Everything is kept: agentctl up goes on where it was. To start afresh, remove the state folder after it.',
  options: {
    timeout: { type: 'string', value: 'TIME', help: 'How long to wait for the end; else 30s.' },
    'state-dir': clusterOptions['state-dir'],
    quiet: { type: 'boolean', short: 'q', help: 'Say nothing.' },
  },
  examples: [{ does: 'stop it', line: 'agentctl down' }],
  run: async ({ values }, world) => {
    const say = (line: string): void => {
      if (!values.quiet) world.stdout.write(`${line}\n`)
    }
    const waitMs = parseDuration('--timeout', values.timeout ?? '30s')
    const stateDir = chooseStateDir(values, world)
    const record = await readPlatformRecord(stateDir)
    const answer = record === undefined ? 'gone' : await askPlatform(record, 'stop', waitMs)
    if (record === undefined || answer === 'gone') {
      say(`No platform runs in ${stateDir}.`)
      return exitCode.done
    }
    const stuck = new CommandFailure(`process ${record.pid} does not stop`, {
      code: exitCode.timedOut,
      advice: [`Its log: ${stateDir}/platform.log. If nothing else helps: kill ${record.pid}`],
    })
    if (answer === 'silent') throw stuck
    const deadline = performance.now() + waitMs
    while ((await readRunningPlatform(stateDir))?.token === record.token) {
      if (performance.now() > deadline) throw stuck
      await delay(50, undefined, { signal: world.stop })
    }
    say(`Stopped the platform in ${stateDir} (process ${record.pid}).`)
    return exitCode.done
  },
})
