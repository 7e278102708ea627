import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { FetchedSkill } from '../../run-contract/run-result.ts'
import {
  type PlannedSkill,
  parseSkillsPlan,
  skillsPlanVariable,
} from '../../run-contract/skills-plan.ts'
import {
  type PublisherContext,
  readPlan,
  readSettings,
  runReported,
} from '../publisher/reported-program.ts'
import { skillsEnvironment } from '../publisher/skills-environment.ts'
import { type Credentials, credentialsOf, secretsOf } from '../vcs/credentials.ts'
import { createGit } from '../vcs/git.ts'
import { fetchSkill } from './fetch-skill.ts'

const defaultGitSeconds = 120
const defaultLargestPack = 128 * 1024 * 1024

/** `agent-checkout skills`: fetches the skills of the agent that come from repositories. */
export async function runSkills(context: PublisherContext): Promise<number> {
  const problems: string[] = []
  const config = readSettings(skillsEnvironment, context, problems)
  const plan = config && readPlan(skillsPlanVariable, parseSkillsPlan(config.plan), problems)
  const credentials: Credentials =
    config && plan?.service
      ? credentialsOf(config.credential, plan.service, plan.hostKeyPolicy)
      : { kind: 'none' }
  return runReported('skills', context, {
    secrets: await secretsOf(credentials),
    terminationMessagePath: config?.terminationMessagePath,
    work: async ({ mask, log }) => {
      if (config === undefined || plan === undefined) {
        throw new RunFailure('InvalidSpec', problems.join('\n'))
      }
      const { largestPack = defaultLargestPack } = plan
      await clear(config.folder)
      const skills: FetchedSkill[] = []
      for (const skill of plan.skills) {
        // One repository each: what one remote sends cannot get into the skill of another.
        const gitFolder = join(config.folder, '.fetched.git')
        const git = createGit({
          folder: config.folder,
          gitFolder,
          env: context.env,
          credentials: skill.isSigned ? credentials : { kind: 'none' },
          mask,
          stop: context.stop,
          timeoutMs: (plan.gitSeconds ?? defaultGitSeconds) * 1000,
          largestFile: largestPack,
        })
        const place = { gitFolder, env: context.env }
        const folder = join(config.folder, skill.name)
        const commit = await fetchSkill(git, skill, place, folder).catch((error: unknown) => {
          throw ofSkill(skill, largestPack, error)
        })
        await rm(gitFolder, { recursive: true, force: true })
        log.info('skill fetched', { skill: skill.name, url: skill.url, commit })
        skills.push({ name: skill.name, commit })
      }
      return { message: 'the skills were fetched', skills }
    },
  })
}

/** What a restarted container finds is incomplete. */
async function clear(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** The failure of one skill, named. A stop of the whole run stays what it is. */
function ofSkill({ name }: PlannedSkill, largestPack: number, error: unknown): unknown {
  if (!(error instanceof RunFailure)) return error
  if (error.reason === 'Terminated' || error.reason === 'TimedOut') return error
  // How git reports that a program of it exceeded the limit of the kernel.
  const isTooLarge = /File too large|File size limit|signal 25|invalid index-pack/.test(
    error.message,
  )
  const why = isTooLarge
    ? `; the files of one commit can have at most ${Math.floor(largestPack / 1024)} KiB, compressed`
    : ''
  const message = `skill ${name}: ${error.message}${why}`
  return new RunFailure('SkillUnavailable', message, { cause: error })
}
