import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const orchestrationConditions = livingConditions({
  gates: [
    validated({
      MissingSteps: 'There are no steps.',
      StepMissingName: 'A step has an empty name.',
      UnsupportedStep: 'The kind of a step is not supported.',
      StepIncomplete: 'A step lacks fields that its kind requires.',
      DuplicateStep: 'Two steps have the same name.',
      EntrypointMissing: 'The entrypoint is not one of the steps.',
      InvalidDependency: 'A step depends on itself.',
      MissingDependency: 'A step depends on a step that does not exist.',
      DependencyCycle: 'The dependencies of steps form a cycle.',
    }),
    {
      type: 'ReferencesResolved',
      doc: {
        True: 'All objects that steps refer to exist.',
        False: 'An object that a step refers to does not exist.',
      },
      reasons: {
        Resolved: 'All referenced objects exist.',
        DependencyMissing: 'An object that a step refers to does not exist.',
      },
    },
  ],
})
