import { list, object, string, withRules } from '@agents/crd'

const skill = object('A skill: a file SKILL.md and the files that it refers to.', {
  name: string('Name of the skill, which is that of its folder. SKILL.md must have the same one.', {
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    maxLength: 64,
  }),
  configMapRef: object('The ConfigMap whose keys are the files of the skill.', {
    name: string('Name of the ConfigMap, in the same namespace. It must have the key SKILL.md.', {
      minLength: 1,
      maxLength: 253,
    }),
  }),
})

export const skills = withRules(
  list('Skills that the agent can use. The provider must have a cli.', skill, { maxItems: 16 }),
  {
    rule: 'self.all(one, self.exists_one(other, other.name == one.name))',
    message: 'names of skills must differ',
  },
)
