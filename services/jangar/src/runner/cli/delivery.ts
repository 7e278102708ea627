import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { CliName } from '../../run-contract/runner-spec.ts'
import { skillFile } from '../../run-contract/skill.ts'
import type { McpProgram } from '../mcp/broker.ts'
import { createHome, type HomeFile, readIfFile } from './home-folder.ts'
import { codexServers, namedServers, opencodeServers } from './mcp-config.ts'
import { type SkillFolder, writeSkills } from './skills.ts'

/** What a CLI is given, and the environment that it would have. */
export interface Given {
  /** `/workspace/.agent`. */
  readonly agentFolder: string
  /** The file with the whole task. */
  readonly taskPath: string
  readonly systemPromptPath: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly mcpServers: readonly McpProgram[]
  readonly skills: readonly SkillFolder[]
}

/** How a CLI gets its task, its system prompt and its model. */
export interface Delivery {
  /** Appended to the arguments of the provider. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files that it leaves in its work tree, as patterns of git. They are not committed. */
  readonly leaves?: readonly string[]
  /** Whether it reads the task from standard input. */
  readonly stdin: boolean
}

/** Prepares the means by which a CLI takes its task and system prompt. Neither becomes an argument. */
export function deliver(cli: CliName, given: Given): Promise<Delivery> {
  return deliveries[cli](given)
}

const deliveries: Readonly<Record<CliName, (given: Given) => Promise<Delivery>>> = {
  codex: toCodex,
  'claude-code': toClaudeCode,
  'gemini-cli': toGemini,
  opencode: toOpencode,
  aider: toAider,
}

/** `AGENTS.md` of the home folder holds the system prompt. `config.toml` adds the address of a gateway. */
async function toCodex(given: Given): Promise<Delivery> {
  const { agentFolder, systemPromptPath, env, mcpServers } = given
  const folder = join(agentFolder, 'codex')
  const from = env.CODEX_HOME || undefined
  const url = env.OPENAI_BASE_URL
  const config = from && (await readIfFile(join(from, 'config.toml')))
  // A key before the first table is one of the document itself.
  const address =
    url && !config?.includes('openai_base_url') ? tomlText('openai_base_url', url) : ''
  await createHome({
    folder,
    from,
    skills: given.skills,
    files: {
      ...(address !== '' && { 'config.toml': { content: `${address}${config ?? ''}` } }),
      ...(await instructions('AGENTS.md', from, systemPromptPath)),
    },
  })
  const key = env.CODEX_API_KEY || env.OPENAI_API_KEY
  return {
    args: [
      ...codexServers(mcpServers),
      // Joined with its flag, a name that begins with a dash is not another flag.
      ...(env.AGENT_MODEL ? [`--model=${env.AGENT_MODEL}`] : []),
    ],
    env: { CODEX_HOME: folder, ...(key && { CODEX_API_KEY: key }) },
    stdin: true,
  }
}

function tomlText(name: string, value: string): string {
  return `${name} = ${JSON.stringify(value)}\n`
}

async function toClaudeCode(given: Given): Promise<Delivery> {
  const { agentFolder, systemPromptPath, env, mcpServers, skills } = given
  const folder = join(agentFolder, 'claude')
  const from = env.CLAUDE_CONFIG_DIR || undefined
  // Otherwise a folder that is set stays as it is.
  if (skills.length > 0) await createHome({ folder, from, skills, files: {} })
  const prompt =
    systemPromptPath === undefined ? [] : ['--append-system-prompt-file', systemPromptPath]
  const config = mcpServers.length === 0 ? [] : [`--mcp-config=${await writeMcpConfig(given)}`]
  return {
    // The first flag takes any number of values, so that another must follow it or nothing.
    args: [...config, ...prompt],
    env: {
      ...((from === undefined || skills.length > 0) && { CLAUDE_CONFIG_DIR: folder }),
      ...modelIn('ANTHROPIC_MODEL', env),
    },
    stdin: true,
  }
}

async function writeMcpConfig({ agentFolder, mcpServers }: Given): Promise<string> {
  const path = join(agentFolder, 'mcp.json')
  const config = { mcpServers: namedServers(mcpServers, { type: 'stdio' }) }
  // Left by an earlier program in the workspace, it may be a link or a pipe.
  await rm(path, { recursive: true, force: true })
  await writeFile(path, JSON.stringify(config), { flag: 'wx', mode: 0o600 })
  return path
}

/** `GEMINI.md` of the home folder is added to the system prompt. `GEMINI_SYSTEM_MD` would replace all of it. */
async function toGemini(given: Given): Promise<Delivery> {
  const { agentFolder, systemPromptPath, env } = given
  const home = join(agentFolder, 'gemini')
  const from = env.GEMINI_CLI_HOME && join(env.GEMINI_CLI_HOME, '.gemini')
  const settings = from && (await readIfFile(join(from, 'settings.json')))
  const content = geminiSettings(given, settings)
  await createHome({
    folder: join(home, '.gemini'),
    from,
    skills: given.skills,
    files: {
      ...(content !== undefined && { 'settings.json': { content: JSON.stringify(content) } }),
      ...(await instructions('GEMINI.md', from, systemPromptPath)),
    },
  })
  return { env: { GEMINI_CLI_HOME: home, ...modelIn('GEMINI_MODEL', env) }, stdin: true }
}

/** Undefined if the settings of the environment stay as they are. */
function geminiSettings(
  { env, mcpServers }: Given,
  settings: string | undefined,
): object | undefined {
  // Without a choice, and without a person to ask, it ends.
  const byKey = { security: { auth: { selectedType: 'gemini-api-key' } } }
  const chosen = settings === undefined && env.GEMINI_API_KEY ? byKey : undefined
  if (mcpServers.length === 0) return chosen
  const own = settings === undefined ? (chosen ?? {}) : parsedSettings(settings)
  const before = 'mcpServers' in own ? (own.mcpServers as object) : {}
  return { ...own, mcpServers: { ...before, ...namedServers(mcpServers, { trust: true }) } }
}

function parsedSettings(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The parser's message would quote the file.
  }
  throw new RunFailure(
    'WorkspaceFailed',
    'MCP servers cannot be added to settings.json in GEMINI_CLI_HOME, which is not plain JSON',
  )
}

/** Configuration in a variable is merged with that of the repository. */
async function toOpencode(given: Given): Promise<Delivery> {
  const { agentFolder, systemPromptPath, env, mcpServers, skills } = given
  const folder = join(agentFolder, 'skills')
  if (skills.length > 0) await writeSkills(folder, skills)
  const config = parsedObject(env.OPENCODE_CONFIG_CONTENT)
  const listed = Array.isArray(config.instructions) ? config.instructions : []
  const merged = {
    autoupdate: false,
    share: 'disabled',
    ...config,
    ...(env.AGENT_MODEL && { model: env.AGENT_MODEL }),
    ...(systemPromptPath !== undefined && { instructions: [...listed, systemPromptPath] }),
    ...(mcpServers.length > 0 && {
      mcp: { ...(config.mcp as object | undefined), ...opencodeServers(mcpServers) },
    }),
    ...(skills.length > 0 && { skills: withPath(config.skills, folder) }),
  }
  return { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(merged) }, stdin: true }
}

function withPath(skills: unknown, folder: string): object {
  const given = typeof skills === 'object' && skills !== null ? skills : {}
  const paths = 'paths' in given && Array.isArray(given.paths) ? given.paths : []
  return { ...given, paths: [...paths, folder] }
}

/** It has no skills, so that it reads each of them with its instructions. */
async function toAider(given: Given): Promise<Delivery> {
  const { agentFolder, taskPath, systemPromptPath, env, skills } = given
  const folder = join(agentFolder, 'skills')
  if (skills.length > 0) await writeSkills(folder, skills)
  const files = skills.map(({ name }) => join(folder, name, skillFile))
  const read = systemPromptPath === undefined ? files : [systemPromptPath, ...files]
  return {
    args: ['--message-file', taskPath, ...read.flatMap((path) => ['--read', path])],
    env: {
      // Otherwise its histories become part of the commit.
      AIDER_CHAT_HISTORY_FILE: join(agentFolder, 'aider.chat.md'),
      AIDER_INPUT_HISTORY_FILE: join(agentFolder, 'aider.input'),
      AIDER_ANALYTICS_LOG: aiderLogIn(agentFolder),
      ...modelIn('AIDER_MODEL', env),
    },
    leaves: ['.aider*'],
    stdin: false,
  }
}

/** The model that the run or its Agent chose, in the variable of the CLI. */
function modelIn(variable: string, { AGENT_MODEL }: Given['env']): Record<string, string> {
  return AGENT_MODEL ? { [variable]: AGENT_MODEL } : {}
}

/** The file with standing instructions: those of the folder, if any, and the system prompt. */
async function instructions(
  name: string,
  from: string | undefined,
  systemPromptPath: string | undefined,
): Promise<Record<string, HomeFile>> {
  if (systemPromptPath === undefined) return {}
  const own = from && (await readIfFile(join(from, name)))
  if (!own) return { [name]: { linkTo: systemPromptPath } }
  const prompt = (await readIfFile(systemPromptPath)) ?? ''
  return { [name]: { content: `${own.trimEnd()}\n\n${prompt}` } }
}

function parsedObject(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // The CLI would report it; the task must not be lost for it.
    return {}
  }
}

/** Where the task of a run is written for its CLI. */
export function taskPathIn(agentFolder: string): string {
  return join(agentFolder, 'task.md')
}

/** Where aider reports its usage. */
export function aiderLogIn(agentFolder: string): string {
  return join(agentFolder, 'aider.jsonl')
}
