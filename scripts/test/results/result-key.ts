import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { release } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Suite, Tier } from '../suites.ts'
import type { ProjectFiles } from './file-set.ts'
import { suiteInputs } from './suite-inputs.ts'

/** Settings that tests read. */
const variables = [
  ...['CONFORMANCE_RECORD', 'CONFORMANCE_SUBJECT', 'KUBE_SUBJECT'],
  ...['HELM_BIN', 'KUBECTL_BIN', 'GOGC', 'GOFLAGS', 'NODE_OPTIONS', 'LANG', 'LC_ALL', 'TZ'],
]

/** Programs of the machine that tests start. Without some of them, tests are skipped. */
const programs = [
  ...['bash', 'curl', 'docker', 'dockerd', 'git', 'mmdebstrap', 'openssl', 'podman', 'python3'],
  ...['runc', 'ssh', 'sshd', 'unshare', 'actionlint', 'chromium', 'firefox', 'ip', 'setpriv'],
]

/** What can change a result, beside the files of the checkout. */
export interface Machine {
  readonly facts: Readonly<Record<string, string>>
}

export function readMachine(env: NodeJS.ProcessEnv): Machine {
  return {
    facts: {
      node: `${process.version} ${process.platform} ${process.arch}`,
      system: release(),
      user: process.getuid?.() === 0 ? 'root' : 'other',
      go: goVersion(env),
      ...Object.fromEntries(variables.map((name) => [`$${name}`, env[name] ?? ''])),
      ...Object.fromEntries(programs.map((name) => [name, identityOf(name, env)])),
    },
  }
}

/** Equal keys mean that a suite would do the same again. */
export function resultKey(
  suite: Suite,
  { tier, files, machine }: { tier: Tier; files: ProjectFiles; machine: Machine },
): string {
  const hash = createHash('sha256')
  const add = (name: string, value: string) => hash.update(JSON.stringify([name, value]))
  add('tier', tier)
  // A budget decides about no test.
  add('suite', JSON.stringify({ ...suite, budget: undefined }))
  for (const [name, value] of Object.entries(machine.facts).toSorted()) add(name, value)
  for (const path of suiteInputs(suite, files)) add(path, files.digest(path))
  return hash.digest('hex')
}

/** Which file a program is, and which version: an update replaces the file. */
function identityOf(name: string, env: NodeJS.ProcessEnv): string {
  const path = pathOf(name, env)
  if (path === undefined) return 'missing'
  const { size, mtimeMs } = statSync(path)
  return `${realpathSync(path)} ${size} ${Math.floor(mtimeMs)}`
}

function pathOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function goVersion(env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync('go', ['version'], { env, encoding: 'utf8' }).trim()
  } catch {
    return 'missing'
  }
}
