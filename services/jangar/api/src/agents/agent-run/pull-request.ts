import { boolean, integer, object, oneOfStrings, optional, string } from '@agents/crd'

const autoMerge = object(
  'Whether the service merges the pull request by itself. Not set unless the provider asks for it.',
  {
    state: oneOfStrings(
      'Enabled when the service merges it once its checks and reviews allow that; Waiting and NotAllowed while it cannot be asked, and Unsupported where it never can; Disabled when somebody turned it off, and the platform leaves it so.',
      ['Enabled', 'Waiting', 'NotAllowed', 'Unsupported', 'Disabled'],
    ),
    message: optional(string('Why it is not enabled.')),
  },
)

export const pullRequestStatus = object(
  'The pull request for what the run pushed. It changes after the run has finished, until it is merged or closed.',
  {
    number: optional(integer('Number of the pull request.', { format: 'int64' })),
    url: optional(string('URL of the pull request.')),
    state: optional(
      oneOfStrings(
        'Pending until the platform has opened it; Failed if it could not within a day. Not set if a program reported the pull request.',
        ['Pending', 'Open', 'Merged', 'Closed', 'Failed'],
      ),
    ),
    draft: optional(boolean('Whether it is a draft.')),
    checks: optional(
      oneOfStrings('What the checks of its last commit say. Not set if there are none.', [
        'Pending',
        'Passing',
        'Failing',
      ]),
    ),
    reviewDecision: optional(
      oneOfStrings('What reviewers have decided. Not set if nobody has.', [
        'Approved',
        'ChangesRequested',
      ]),
    ),
    autoMerge: optional(autoMerge),
    message: optional(string('Why it is not open yet, or why its state is not known.')),
  },
)
