import { list, object, optional, string, withRules } from '@agents/crd'

const git = object('The folder of a Git repository that has the files of the skill.', {
  url: string(
    'URL of the repository, such as https://github.com/team/skills.git. Must not contain a credential. Without vcsRef, the scheme must be https.',
    { pattern: '^(https?|ssh|file)://[^\\s]+$', maxLength: 2048 },
  ),
  ref: string(
    'Branch, tag or commit. A commit is the only one that cannot change after a review of the Agent or an approval of its run.',
    { pattern: '^[A-Za-z0-9_][A-Za-z0-9_./+-]*$', maxLength: 255 },
  ),
  path: optional(
    string('Path of the folder in the repository. If omitted, defaults to its root.', {
      pattern: '^[^/\\s\\\\][^\\\\]*$',
      maxLength: 255,
    }),
  ),
  vcsRef: optional(
    object(
      'The VersionControlProvider that the repository belongs to, whose credential and rules apply. If omitted, no credential is used.',
      {
        name: string('Name of the VersionControlProvider, in the same namespace.', {
          minLength: 1,
          maxLength: 253,
        }),
      },
    ),
  ),
})

const fields = {
  name: string('Name of the skill, which is that of its folder. SKILL.md must have the same one.', {
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    maxLength: 64,
  }),
  configMapRef: optional(
    object('The ConfigMap whose keys are the files of the skill.', {
      name: string('Name of the ConfigMap, in the same namespace. It must have the key SKILL.md.', {
        minLength: 1,
        maxLength: 253,
      }),
    }),
  ),
  git: optional(git),
}

const skill = withRules(
  object('A skill: a file SKILL.md and the files that it refers to.', fields),
  {
    rule: 'has(self.configMapRef) != has(self.git)',
    message: 'exactly one of configMapRef and git is required',
  },
)

export const skills = withRules(
  list('Skills that the agent can use. The provider must have a cli.', skill, { maxItems: 16 }),
  {
    rule: 'self.all(one, self.exists_one(other, other.name == one.name))',
    message: 'names of skills must differ',
  },
  {
    rule: 'self.all(one, !has(one.git) || !has(one.git.vcsRef) || self.all(other, !has(other.git) || !has(other.git.vcsRef) || other.git.vcsRef.name == one.git.vcsRef.name))',
    message: 'all skills with a vcsRef must have the same one',
  },
)
