import { readFile } from 'node:fs/promises'
import { ConfigError, type Environment, parseConfig } from '@agents/config'
import { formatProblem, type ReadResult } from '../reader/reader.ts'
import type { Reason } from '../run-contract/outcome.ts'
import { podPaths } from '../run-contract/pod-paths.ts'
import { parseRunSpec, type RunSpec } from '../run-contract/run-spec.ts'
import { parseRunnerSpec, type RunnerSpec } from '../run-contract/runner-spec.ts'
import type { TemplateContext } from '../run-contract/templates/template-roots.ts'
import { type Command, chooseCommand } from './command/choose-command.ts'
import { parseArguments, type RunnerArguments } from './command/parse-arguments.ts'
import { templateContext } from './command/template-context.ts'
import { type RunnerEnvironment, runnerEnvironment } from './runner-environment.ts'
import { inWorkspace, localPath } from './workspace/workspace-path.ts'

/** All input of the runner, parsed and valid. */
export interface Assignment {
  readonly config: RunnerEnvironment
  readonly runner: RunnerSpec
  readonly run: RunSpec
  readonly runSpecPath: string
  readonly context: TemplateContext
  readonly command: Command
  readonly options: RunnerArguments
  readonly stdinPath?: string
}

type LoadedAssignment =
  | { readonly ok: true; readonly value: Assignment }
  | { readonly ok: false; readonly reason: Reason; readonly problems: readonly string[] }

/** Reads arguments, environment and both documents, and reports the problems of all of them together. */
export async function loadAssignment(
  argv: readonly string[],
  env: Environment,
): Promise<LoadedAssignment> {
  const problems: string[] = []
  const config = readEnvironment(env, problems)
  const options = parseArguments(argv)
  if (!options.ok) problems.push(...options.problems)
  const workspace = config?.workspace ?? '/workspace'
  const at = (path: string) => localPath(workspace, path, '/')
  const specPath = (options.ok && options.value.specPath) || config?.specPath
  const inline = specPath === undefined ? config?.spec : undefined
  const specDocument = inline ?? (await readDocumentFile(at(specPath ?? podPaths.runnerSpec)))
  const runner = take('agent-runner.json', specDocument, parseRunnerSpec, problems)
  const runSpecPath = at(config?.runSpecPath ?? runner?.payloads?.eventFilePath ?? podPaths.runSpec)
  const run = take('run.json', await readDocumentFile(runSpecPath), parseRunSpec, problems)
  const stdin = options.ok ? options.value.stdinPath : undefined
  const stdinPath = stdin === undefined ? undefined : inWorkspace(workspace, stdin)
  if (stdin !== undefined && stdinPath === undefined) {
    problems.push(`--stdin ${stdin} is outside the workspace`)
  }
  if (problems.length > 0 || !options.ok || !config || !runner || !run) {
    return { ok: false, reason: 'InvalidSpec', problems }
  }
  const context = templateContext(run, runner)
  const command = chooseCommand(options.value.command, runner.providerSpec, context)
  if (!command.ok) return command
  return {
    ok: true,
    value: {
      config,
      runner,
      run,
      runSpecPath,
      context,
      command: command.value,
      options: options.value,
      ...(stdinPath !== undefined && { stdinPath }),
    },
  }
}

function readEnvironment(env: Environment, problems: string[]): RunnerEnvironment | undefined {
  try {
    return parseConfig(runnerEnvironment, env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(
      ...error.problems.map(({ env: name, expected }) => `${name}: expected ${expected}`),
    )
    return undefined
  }
}

interface Unreadable {
  readonly unreadable: string
}

async function readDocumentFile(path: string): Promise<string | Unreadable> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    return { unreadable: `cannot be read from ${path}: ${(error as NodeJS.ErrnoException).code}` }
  }
}

function take<T>(
  name: string,
  document: string | Unreadable,
  parse: (text: string) => ReadResult<T>,
  problems: string[],
): T | undefined {
  if (typeof document !== 'string') {
    problems.push(`${name} ${document.unreadable}`)
    return undefined
  }
  const read = parse(document)
  if (read.ok) return read.value
  problems.push(...read.problems.map((problem) => formatProblem(name, problem)))
  return undefined
}
