// SPDX-License-Identifier: Apache-2.0
/** The rule, with the contents that are found in the payload or in a protocol marked. */
import type {ThreatMessage} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {links} from '../../../links.ts';
import {PageLink} from '../../../routing/link.tsx';
import {Badge, CopyButton, cx, Section} from '../../../ui/index.ts';
import {STATE_TONE, STATE_WORD} from '../../rules/rules-search.ts';
import {type Found, foundText, type Matches} from './bytes/match.ts';
import type {ParsedRule} from './bytes/rule-text.ts';
import css from './record.module.css';

const placesText = ({ranges, fields}: Found): string => {
  const payload = ranges.length === 0 ? [] : [`payload (${ranges.length} ${ranges.length === 1 ? 'place' : 'places'})`];
  return `Found in ${[...payload, ...fields].join(', ')}`;
};

const isWebAddress = (text: string): boolean => text.startsWith('https://') || text.startsWith('http://');

type RuleProps = {
  readonly threat: ThreatMessage;
  readonly parsed: ParsedRule;
  readonly matches: Matches;
};

export function Rule({threat, parsed, matches}: RuleProps): ReactNode {
  const {rule, evidence} = threat;
  const hasEvidence = evidence.withheld === undefined && evidence.absent === undefined;
  return (
    <Section
      title="Rule"
      actions={
        <span className={css['line']}>
          {'state' in rule && <Badge tone={STATE_TONE[rule.state]}>{STATE_WORD[rule.state]}</Badge>}
          <PageLink to={links.rules({q: threat.threat_id})}>Open in rules</PageLink>
        </span>
      }
    >
      <div className={css['stack']}>
        <p>{threat.details}</p>
        {'absent' in rule ? (
          <p className="muted">{`Not shown: ${rule.absent}`}</p>
        ) : (
          <RuleText {...{rule, parsed, matches, hasEvidence}} />
        )}
      </div>
    </Section>
  );
}

type TextProps = Omit<RuleProps, 'threat'> & {
  readonly rule: Extract<ThreatMessage['rule'], {text: string}>;
  readonly hasEvidence: boolean;
};

function RuleText({rule, parsed: {pieces, contents}, matches, hasEvidence}: TextProps): ReactNode {
  const wanted = contents.filter(({isNegated}) => !isNegated);
  return (
    <>
      {rule.changed !== undefined && (
        <p className={css['warning']}>{`This is not the text that matched: ${rule.changed}`}</p>
      )}
      <div className={css['code']}>
        <pre tabIndex={0} role="region" aria-label="Text of the rule" className={css['rule']}>
          <code>
            {pieces.map(({text, kind, content}, at) => {
              const found = content === undefined ? undefined : matches.found.get(content);
              if (found !== undefined)
                return (
                  <mark key={at} className={css['mark']} title={placesText(found)}>
                    {text}
                  </mark>
                );
              return (
                <span key={at} className={cx(kind === 'key' && css['key'])}>
                  {text}
                </span>
              );
            })}
          </code>
        </pre>
        <span className={css['codeCopy']}>
          <CopyButton text={rule.text} label="Copy the rule" />
        </span>
      </div>
      {hasEvidence && wanted.length > 0 && (
        <p className="muted">
          {`${foundText(matches.found.size, wanted.length)} The search ignores the offsets that the rule sets.`}
        </p>
      )}
      {rule.references.length > 0 && (
        <ul className={css['references']} aria-label="References">
          {rule.references.map(text => (
            <li key={text}>
              {isWebAddress(text) ? (
                <a href={text} target="_blank" rel="noreferrer">
                  {text}
                </a>
              ) : (
                text
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
