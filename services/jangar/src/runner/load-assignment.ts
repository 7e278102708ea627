import { readFile } from 'node:fs/promises'
import { ConfigError, type Environment, parseConfig } from '@agents/config'
import { formatProblem, type ReadResult } from '../reader/reader.ts'
import { documentDigestsVariable, parseDocumentDigests } from '../run-contract/document-digests.ts'
import type { Reason } from '../run-contract/outcome.ts'
import { podPaths } from '../run-contract/pod-paths.ts'
import { parseRunSpec, type RunSpec } from '../run-contract/run-spec.ts'
import { parseRunnerSpec, type RunnerSpec } from '../run-contract/runner-spec.ts'
import type { TemplateContext } from '../run-contract/templates/template-roots.ts'
import { type Command, chooseCommand } from './command/choose-command.ts'
import { parseArguments, type RunnerArguments } from './command/parse-arguments.ts'
import { templateContext } from './command/template-context.ts'
import { readDocuments } from './documents/read-documents.ts'
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

/**
 * Reads arguments, environment and both documents, and reports the problems of all of them together. Nothing of the
 * documents is used if one of them is not the one that the Job was created with.
 */
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
  const verified = await verifiedDocuments(config?.documentDigests, at)
  if (!verified.ok) return verified
  const readText = (path: string) => verified.contents.get(path) ?? readDocumentFile(path)
  const specPath = (options.ok && options.value.specPath) || config?.specPath
  const inline = specPath === undefined ? config?.spec : undefined
  const specDocument = inline ?? (await readText(at(specPath ?? podPaths.runnerSpec)))
  const runner = take('agent-runner.json', specDocument, parseRunnerSpec, problems)
  const runSpecPath = at(config?.runSpecPath ?? runner?.payloads?.eventFilePath ?? podPaths.runSpec)
  const run = take('run.json', await readText(runSpecPath), parseRunSpec, problems)
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

type VerifiedDocuments =
  | { readonly ok: true; readonly contents: ReadonlyMap<string, string> }
  | Extract<LoadedAssignment, { readonly ok: false }>

/** All documents with a digest, by path on this machine. The program reads some of them itself. */
async function verifiedDocuments(
  document: string | undefined,
  at: (path: string) => string,
): Promise<VerifiedDocuments> {
  if (document === undefined) return { ok: true, contents: new Map() }
  const digests = parseDocumentDigests(document)
  if (!digests.ok) {
    const problems = digests.problems.map((one) => formatProblem(documentDigestsVariable, one))
    return { ok: false, reason: 'InvalidSpec', problems }
  }
  const { contents, problems } = await readDocuments(digests.value, at)
  if (problems.length > 0) return { ok: false, reason: 'DocumentsChanged', problems }
  return {
    ok: true,
    contents: new Map([...contents].map(([path, content]) => [path, content.toString()])),
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
