import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { EngineStart } from './container-engine.ts'

const run = promisify(execFile)

/** Docker with its own daemon, socket and storage in the folder. Rejects if Docker cannot run here. */
export async function startDocker(folder: string): Promise<EngineStart> {
  if (process.getuid?.() !== 0) throw new Error('only root can start its daemon')
  // Debian installs dockerd and the programs that it starts there.
  const { PATH = '' } = process.env
  const daemonPath = `${PATH}:/usr/sbin:/sbin`
  await run('dockerd', ['--version'], { env: { PATH: daemonPath } }).catch((cause: unknown) => {
    throw new Error('there is no dockerd', { cause })
  })
  const place = join(folder, 'docker')
  await mkdir(place)
  const socket = `unix://${join(place, 'docker.sock')}`
  // The daemon's built-in builder: BuildKit is a separate program that may not be installed.
  const environment = { PATH, HOME: folder, DOCKER_HOST: socket, DOCKER_BUILDKIT: '0' }
  const ask = (args: readonly string[]) => run('docker', args, { env: environment })
  const daemon = await startDaemon(place, socket, daemonPath)
  const stop = async (): Promise<void> => {
    // On SIGTERM the daemon waits for its containers.
    const { stdout } = await ask(['ps', '--all', '--quiet']).catch(() => ({ stdout: '' }))
    const names = stdout.split('\n').filter((name) => name !== '')
    if (names.length > 0) await ask(['rm', '--force', ...names]).catch(() => undefined)
    await ended(daemon)
  }
  try {
    await answers(daemon, ask)
  } catch (error) {
    await stop()
    throw new Error(`its daemon says ${await lastLine(join(place, 'log'))}`, { cause: error })
  }
  return { environment, buildFlags: ['--no-cache', '--force-rm'], stop }
}

/**
 * Ignores the machine's configuration and creates no network: containers use the host network. It exits with this
 * process at the latest.
 */
async function startDaemon(place: string, socket: string, PATH: string): Promise<ChildProcess> {
  const settings = join(place, 'daemon.json')
  await writeFile(settings, '{}')
  const flags = [
    ...['--config-file', settings, '--host', socket, '--pidfile', join(place, 'pid')],
    ...['--data-root', join(place, 'data'), '--exec-root', join(place, 'run')],
    ...['--bridge', 'none', '--iptables=false', '--ip6tables=false'],
  ]
  const log = openSync(join(place, 'log'), 'w', 0o600)
  const daemon = spawn('setpriv', ['--pdeathsig', 'TERM', 'dockerd', ...flags], {
    env: { PATH, HOME: place },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  // The daemon failed, as its log shows, or it never answers.
  daemon.on('error', () => undefined)
  return daemon
}

async function answers(
  daemon: ChildProcess,
  ask: (args: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const end = performance.now() + longestStartMs
  for (;;) {
    try {
      await ask(['version'])
      return
    } catch (error) {
      const isGone = daemon.pid === undefined || daemon.exitCode !== null
      if (isGone || performance.now() > end) throw error
    }
    await delay(100)
  }
}

const longestStartMs = 60_000
const longestStopMs = 30_000

async function ended(daemon: ChildProcess): Promise<void> {
  if (daemon.pid === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return
  const gone = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGTERM')
  if (await Promise.race([gone.then(() => true), delay(longestStopMs, false)])) return
  daemon.kill('SIGKILL')
  await gone
}

async function lastLine(log: string): Promise<string> {
  const lines = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n')
  return lines.at(-1) || 'nothing'
}
