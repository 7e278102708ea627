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
      StepInvalid: 'A field of a step is invalid, or cannot be used in this step.',
      StepLimit: 'There are more than 500 steps.',
      GraphTooLarge: 'The spec has more than 256 KiB.',
      OutputsTooLarge: 'Outputs of a Checkpoint or of the graph are larger than 16 KiB.',
      LoopLimit: 'A loop has more than 256 items.',
      InvalidParameters: 'The declaration of a parameter is invalid.',
      InvalidPolicies: 'A policy of the graph is invalid.',
      TemplateInvalid:
        'A template is invalid, or refers to a value that cannot exist when the step starts.',
      ExpressionInvalid: 'A CEL expression is invalid, too costly or does not yield a boolean.',
    }),
    {
      type: 'ReferencesResolved',
      doc: {
        True: 'All objects that steps refer to exist, and Orchestrations do not run each other in a circle.',
        False:
          'An object that a step refers to does not exist, or Orchestrations run each other in a circle.',
      },
      reasons: {
        Resolved: 'All referenced objects exist.',
        DependencyMissing: 'An object that a step refers to does not exist.',
        CircularOrchestration: 'The Orchestration runs itself, directly or through others.',
        OrchestrationTooDeep: 'Orchestrations are nested more than 10 levels deep.',
      },
    },
  ],
})
