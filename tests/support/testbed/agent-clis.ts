import { execFile } from 'node:child_process'
import { access, chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withProcessLock } from './process-lock.ts'

const run = promisify(execFile)
const { platform, arch } = process

interface CliPackage {
  readonly from: 'npm' | 'pypi'
  readonly package: string
  readonly version: string
  /** Name of the program, and its path in the folder that the package is installed into. */
  readonly program: string
  /** The module of a Python package, if it has another name than the program. */
  readonly module?: string
  readonly path: string
}

/**
 * The agent CLIs that the examples are tested with, and what they use. They are subjects of tests under their own
 * licences, and are neither shipped nor linked with anything of ours.
 */
export const cliPackages = {
  codex: {
    from: 'npm',
    package: '@openai/codex',
    version: '0.166.0',
    program: 'codex',
    path: 'node_modules/.bin/codex',
  },
  // The scripts of the next two packages would copy the program out of a package for this platform.
  'claude-code': {
    from: 'npm',
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    program: 'claude',
    path: `node_modules/@anthropic-ai/claude-code-${platform}-${arch}/claude`,
  },
  opencode: {
    from: 'npm',
    package: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    path: `node_modules/opencode-${platform}-${arch}/bin/opencode`,
  },
  'gemini-cli': {
    from: 'npm',
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'gemini',
    path: 'node_modules/.bin/gemini',
  },
  aider: {
    from: 'pypi',
    package: 'aider-chat',
    version: '0.86.2',
    program: 'aider',
    path: 'venv/bin/python3',
  },
  // A server of MCP for tests of its clients, under the MIT licence.
  'mcp-everything': {
    from: 'npm',
    package: '@modelcontextprotocol/server-everything',
    version: '2026.1.26',
    program: 'mcp-server-everything',
    path: 'node_modules/.bin/mcp-server-everything',
  },
  // The official client of MCP for a shell, under MIT and Apache-2.0.
  'mcp-inspector': {
    from: 'npm',
    package: '@modelcontextprotocol/inspector',
    version: '2.12.0',
    program: 'mcp-inspector',
    path: 'node_modules/.bin/mcp-inspector',
  },
  // The official tests of servers of MCP, under the MIT licence.
  'mcp-conformance': {
    from: 'npm',
    package: '@modelcontextprotocol/conformance',
    version: '0.1.16',
    program: 'conformance',
    path: 'node_modules/.bin/conformance',
  },
  // Linters of OpenAPI, under MIT and Apache-2.0.
  redocly: {
    from: 'npm',
    package: '@redocly/cli',
    version: '2.73.0',
    program: 'redocly',
    path: 'node_modules/.bin/redocly',
  },
  spectral: {
    from: 'npm',
    package: '@stoplight/spectral-cli',
    version: '6.16.3',
    program: 'spectral',
    path: 'node_modules/.bin/spectral',
  },
  // Makes requests from an OpenAPI description, under the MIT licence.
  schemathesis: {
    from: 'pypi',
    package: 'schemathesis',
    version: '4.32.5',
    program: 'schemathesis',
    module: 'schemathesis.cli',
    path: 'venv/bin/python3',
  },
  // The gRPC client of Python with its compiler of .proto files, under the Apache-2.0 licence.
  grpcio: {
    from: 'pypi',
    package: 'grpcio-tools',
    version: '1.85.1',
    program: 'protoc',
    module: 'grpc_tools.protoc',
    path: 'venv/bin/python3',
  },
} as const satisfies Record<string, CliPackage>

export type AgentCli = keyof typeof cliPackages

/** The variable that chooses another version of a CLI than the pinned one. */
export function versionVariable(name: AgentCli): string {
  return `AGENTS_CLI_VERSION_${name.replaceAll('-', '_').toUpperCase()}`
}

/** The newest version that the registry has. */
export async function newestVersion(name: AgentCli): Promise<string> {
  const { from, package: named } = cliPackages[name]
  if (from === 'npm') return (await run('npm', ['view', named, 'version'])).stdout.trim()
  const { stdout } = await run('python3', ['-m', 'pip', 'index', 'versions', named])
  const newest = /\(([^)]+)\)/.exec(stdout)?.[1]
  if (newest === undefined) throw new Error(`pip names no version of ${named}`)
  return newest
}

/**
 * Installs a CLI at its pinned version at first use, outside of the checkout, without running scripts of packages.
 * Returns the folder with its program.
 */
export async function ensureAgentCli(name: AgentCli, env: NodeJS.ProcessEnv): Promise<string> {
  const pinned: CliPackage = cliPackages[name]
  const wanted = { ...pinned, version: env[versionVariable(name)] || pinned.version }
  const root = env.AGENTS_TESTBED_CACHE || env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const cache = join(root, 'agents-testbed')
  const folder = join(cache, `cli-${name}-${wanted.version}`)
  await mkdir(cache, { recursive: true })
  const waits = (): void => void process.stderr.write(`${name}: another process installs it\n`)
  await withProcessLock(join(cache, `cli-${name}-lock.sqlite`), waits, async () => {
    const exists = await access(join(folder, 'bin')).then(
      () => true,
      () => false,
    )
    if (exists) return
    process.stderr.write(`${name}: installing ${wanted.version} (first time only)\n`)
    await rm(folder, { recursive: true, force: true })
    await install(wanted, folder, env)
    const bin = await mkdtemp(join(folder, 'partial-'))
    await link(wanted, bin)
    await chmod(bin, 0o755)
    await rename(bin, join(folder, 'bin'))
  })
  return folder
}

/** Works in any folder: tests put a copy where programs of other users can reach it. */
async function link(
  { from, path, program, module = program }: CliPackage,
  bin: string,
): Promise<void> {
  if (from === 'npm') return symlink(join('..', path), join(bin, program))
  // The scripts of a virtual environment name its first path.
  const script = `#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/../${path}" -m ${module} "$@"\n`
  await writeFile(join(bin, program), script, { mode: 0o755 })
}

const systemPython = '/usr/bin/python3'

async function install(wanted: CliPackage, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(folder)
  const options = { cwd: folder, env, maxBuffer: 16 * 1024 * 1024 }
  const exact = (separator: string): string => `${wanted.package}${separator}${wanted.version}`
  if (wanted.from === 'npm') {
    const flags = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--prefix', folder]
    await run('npm', ['install', ...flags, exact('@')], options)
    return
  }
  // The interpreter of the system can be run by all users; the one on the PATH may be in a private home.
  const python = await access(systemPython).then(
    () => systemPython,
    () => 'python3',
  )
  await run(python, ['-m', 'venv', 'venv'], options)
  await run('venv/bin/pip', ['install', '--quiet', exact('==')], options)
}
