import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  agentctlPath,
  type LocalPlatform,
  startPlatformIn,
} from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'

const run = promisify(execFile)

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const fakeLine = {
  time: '2030-01-01T00:00:00Z',
  level: 'error',
  message: 'MARK-FAKE-LINE',
  run: 'lies',
}
const fakeUsage = { type: 'turn.completed', usage: { input_tokens: 900_000 } }

/** An agent that means harm, by what it prints and by what it leaves. */
const program = `#!/bin/sh
case "$1" in
flood) yes 'some line of output' | head -c "$2"; echo END-OF-FLOOD ;;
lies)
  printf '\\033[2J\\033]0;MARK-TITLE\\007\\033]52;c;Zm9v\\007 MARK-SEQUENCES\\n'
  echo '${JSON.stringify(fakeLine)}'
  echo 'I used ${JSON.stringify(fakeUsage)}'
  printf '{"type":"item.completed","item":{"type":"agent_message","text":"MARK-SAID \\\\u001b]0;t\\\\u0007"}}\\n' ;;
pipe) mkfifo "$AGENT_REPORT_PATH" "\${AGENT_REPORT_PATH%/*}/status.json.$PPID.tmp"; echo MARK-PIPE ;;
link) ln -s /etc/passwd "$AGENT_REPORT_PATH"; echo MARK-LINK ;;
large) truncate -s 1G "$AGENT_REPORT_PATH"; echo MARK-LARGE ;;
esac
`

const objects = `
apiVersion: agents.proompteng.ai/v1alpha1
kind: AgentProvider
metadata: {name: hostile}
spec:
  binary: agent-runner
  argsTemplate: [--adapter, codex, --, hostile-agent, '{{ parameters.mode }}', '{{ parameters.bytes }}']
---
apiVersion: agents.proompteng.ai/v1alpha1
kind: Agent
metadata: {name: hostile}
spec:
  providerRef: {name: hostile}
`

/** Runs hostile agents on a whole local platform. The node takes 8 MiB of output in a second. */
export function testHostileAgents(floodBytes: number): void {
  let folder: string
  let platform: LocalPlatform

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-hostile-'))
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'hostile-agent'), program, { mode: 0o755 })
    await writeFile(join(folder, 'objects.yaml'), objects)
    const path = `${folder}:/usr/local/bin:/usr/bin:/bin`
    platform = await startPlatformIn({ PATH: path }, '--no-sample', '--http-port', '0')
    expect(await platform.agentctl('apply', '-f', join(folder, 'objects.yaml'))).toMatchObject({
      code: 0,
    })
  })
  afterAll(async () => {
    await platform?.remove()
    await rm(folder, { recursive: true, force: true })
  })

  const commandOf = (mode: string) => [
    ...['run', '-a', 'hostile', '-t', 'Harm', '--name', mode],
    ...['-p', `mode=${mode}`, '-p', `bytes=${floodBytes}`],
  ]
  const runAgent = (mode: string) => platform.agentctl(...commandOf(mode))
  const environment = () => ({ AGENTCTL_STATE_DIR: platform.stateDir, PATH: '/usr/bin:/bin' })
  const statusOf = async (name: string) => {
    const { stdout } = await platform.agentctl('get', 'run', name, '-o', 'json')
    return (JSON.parse(stdout) as { status: Record<string, unknown> }).status
  }
  /** The artifacts of a run by name, once the log is there. */
  const keptBytes = async (name: string): Promise<Record<string, number>> => {
    let kept: Record<string, number> = {}
    await until(async () => {
      const { stdout } = await platform.agentctl('artifacts', name)
      const rows = stdout.split('\n').map((line) => line.split(/ +/))
      kept = Object.fromEntries(
        rows.flatMap(([file = '', bytes, phase]) =>
          phase === 'Ready' ? [[file, Number(bytes)]] : [],
        ),
      )
      return 'log' in kept
    })
    return kept
  }
  const terminal = async (...args: string[]) => {
    const command = [process.execPath, agentctlPath, ...args].join(' ')
    const options = { env: { ...environment(), TERM: 'xterm' } }
    return (await run('script', ['-qec', command, '/dev/null'], options)).stdout
  }

  // It measures memory, and lasts as long as the node takes to write the output.
  test.runIf(isFull)(
    'a flood of output takes neither the memory nor the disk of the platform',
    async () => {
      const before = peakMebibytes(platform.up().child.pid)
      // All of it would not fit into a string.
      const command = [process.execPath, agentctlPath, ...commandOf('flood')].join(' ')
      const script = ['-o', 'pipefail', '-c', `${command} | tail -c 100`]
      const { stdout } = await run('bash', script, { env: environment() })
      expect(stdout.endsWith('END-OF-FLOOD\n')).toBe(true)
      const more = peakMebibytes(platform.up().child.pid) - before
      const kept = await keptBytes('flood')
      const { stdout: used } = await run('du', ['-sm', platform.stateDir])
      const megabytes = Number.parseInt(used, 10)
      process.stderr.write(
        `${floodBytes} bytes of output: ${Math.round(more)} MiB more memory of the platform, ${megabytes} MiB on disk, artifacts ${JSON.stringify(kept)}\n`,
      )
      expect(more).toBeLessThan(500)
      expect(kept.log).toBeGreaterThan(Math.min(floodBytes, 256 << 20))
      expect(kept.log).toBeLessThan((256 << 20) + 100)
      expect(kept['transcript.md']).toBeLessThan(9 << 20)
      // 50 MiB of the pod's log, 64 MiB of the runner's, 256 MiB of the artifact, and the database.
      expect(megabytes).toBeLessThan(400 + 265)
      expect((await platform.agentctl('logs', 'flood', '--tail', '1')).stdout).toContain(
        'run finished',
      )
    },
  )

  test('lies and control sequences are shown as text, and are not believed', async () => {
    const { code, stdout, stderr } = await runAgent('lies')
    expect(code).toBe(0)
    expect(stdout).toContain(` ${JSON.stringify(fakeLine)}\n`)
    expect(stdout).toContain('MARK-SAID ^[]0;t^G\n')
    expect(stderr).not.toContain('MARK-FAKE-LINE')
    const status = await statusOf('lies')
    expect(status).toMatchObject({ phase: 'Succeeded' })
    // Its message is one. Tokens that it claims do not count.
    expect(status.usage).toEqual({ turns: 1 })
    for (const args of [
      ['logs', 'lies'],
      ['describe', 'run', 'lies'],
      ['get', 'runs'],
      ['explain', 'run', 'lies'],
    ]) {
      const seen = await terminal(...args)
      // Colours of our own are all that is left.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      const plain = seen.replaceAll(/\u001b\[[0-9;]*m/g, '')
      expect(plain, args.join(' ')).not.toMatch(controls)
    }
    expect(await terminal('logs', 'lies')).toContain(
      '^[[2J^[]0;MARK-TITLE^G^[]52;c;Zm9v^G MARK-SEQUENCES',
    )
  })

  test.each(['pipe', 'link', 'large'])('a report does not hold up the run: %s', async (mode) => {
    const { code, stdout } = await runAgent(mode)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `MARK-${mode.toUpperCase()}\n` })
    const status = await statusOf(mode)
    expect(status).toMatchObject({ phase: 'Succeeded' })
    expect(JSON.stringify(status)).not.toContain('root:')
  })
}

function peakMebibytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
}
