export const zeros = '0'.repeat(40)
export const [before, commit] = ['a'.repeat(40), 'b'.repeat(40)]
export const user = { login: 'maintainer', id: 2 }

/** A push, and a check that fails, as each service sends them. */
export const pushes = {
  github: {
    ...{ ref: 'refs/heads/main', before, after: commit, deleted: false },
    ...{ repository: { full_name: 'owner/app' }, pusher: { name: 'maintainer' } },
    ...{ sender: { ...user, type: 'User' }, head_commit: { id: commit, message: 'Fix it' } },
  },
  gitea: {
    ...{ ref: 'refs/heads/main', before, after: commit, pusher: user, sender: user },
    ...{ repository: { full_name: 'owner/app' }, head_commit: { message: 'Fix it' } },
  },
  gitlab: {
    ...{ object_kind: 'push', ref: 'refs/heads/main', before, after: commit, user_id: 2 },
    ...{ user_username: 'maintainer', project: { path_with_namespace: 'owner/app' } },
    commits: [
      { id: before, message: 'Begin' },
      { id: commit, message: 'Fix it' },
    ],
  },
} as const
export const status = {
  ...{ sha: commit, state: 'failure', context: 'ci/test', description: '3 tests failed' },
  ...{ repository: { full_name: 'owner/app' }, branches: [{ name: 'agents/7' }] },
}
/** Gitea does not name the branches. */
const giteaStatus = { ...status, branches: undefined }
export const pipeline = {
  object_kind: 'pipeline',
  object_attributes: { id: 31, ref: 'agents/7', sha: commit, status: 'failed' },
  project: { path_with_namespace: 'owner/app' },
  builds: [
    { stage: 'test', name: 'unit', status: 'failed' },
    { stage: 'test', name: 'lint', status: 'success' },
  ],
}

export const changes = [
  { provider: 'github', event: 'push', payload: pushes.github },
  { provider: 'gitea', event: 'push', payload: pushes.gitea },
  { provider: 'gitlab', event: 'Push Hook', payload: pushes.gitlab },
  { provider: 'github', event: 'status', payload: status },
  { provider: 'gitea', event: 'status', payload: giteaStatus },
  { provider: 'gitlab', event: 'Pipeline Hook', payload: pipeline },
] as const
