import type { AutoMerge, Forge } from '../forge.ts'
import type { ForgeHttp } from '../http/forge-http.ts'
import { Fields } from '../reading/fields.ts'

/**
 * GitLab merges at once where no pipeline is running, even if one has failed. So pipelines must be required, and there
 * must be one for the last commit.
 */
export function gitlabAutoMerge(
  http: ForgeHttp,
  project: (repository: string) => string,
  mergeRequest: (repository: string, number: number) => string,
) {
  return {
    autoMerge: async (repository, { commit, number }, signal): Promise<AutoMerge> => {
      const [found, settings] = await Promise.all([
        http.json({ path: mergeRequest(repository, number), signal }),
        http.json({ path: project(repository), signal }),
      ])
      const fields = new Fields(found)
      if (fields.flag('merge_when_pipeline_succeeds')) return { state: 'enabled' }
      if (!new Fields(settings).flag('only_allow_merge_if_pipeline_succeeds')) {
        return { state: 'not-allowed', why: 'the project does not require pipelines to succeed' }
      }
      const pipeline = fields.objectIfAny('head_pipeline')
      if (pipeline === undefined || pipeline.textOrEmpty('sha') !== commit) {
        return { state: 'waiting', why: 'there is no pipeline for the last commit yet' }
      }
      // A status that somebody reports for a commit without a pipeline makes one, also that of the platform itself.
      const source = pipeline.textOrEmpty('source')
      if (source === '' || source.startsWith('external')) {
        return { state: 'waiting', why: 'the last commit has only a pipeline of reported statuses' }
      }
      // One that was skipped may count as a success: a commit's message alone can skip it.
      if (!waitedFor.includes(pipeline.text('status'))) {
        return { state: 'waiting', why: 'the pipeline of the last commit does not run' }
      }
      return { state: 'possible' }
    },
    enableAutoMerge: async (repository, { commit: sha, number }, signal) => {
      const at = `${mergeRequest(repository, number)}/merge`
      // Versions that do not know the first name would ignore it, and merge at once.
      const body = { auto_merge: true, merge_when_pipeline_succeeds: true, sha }
      await http.json({ method: 'PUT', path: at, body, signal })
    },
  } satisfies Partial<Forge>
}

/** Approvals may be missing still when it has succeeded. */
const waitedFor = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'success']
