import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const orchestrationConditions = livingConditions({
  gates: [
    validated({
      MissingSteps: 'There are no steps.',
      StepMissingName: 'A step has an empty name.',
      UnsupportedStep: 'A step is of a kind that the platform does not know.',
      StepIncomplete: 'A step lacks what its kind needs.',
      DuplicateStep: 'Two steps have the same name.',
      EntrypointMissing: 'The entrypoint is not one of the steps.',
      InvalidDependency: 'A step depends on itself.',
      MissingDependency: 'A step depends on one that is not there.',
      DependencyCycle: 'Steps depend on each other in a circle.',
    }),
    {
      type: 'ReferencesResolved',
      doc: {
        True: 'All that the steps refer to is there.',
        False: 'Something that a step refers to is not there yet.',
      },
      reasons: {
        Resolved: 'All is there.',
        DependencyMissing: 'Something that a step refers to is not there.',
      },
    },
  ],
})
