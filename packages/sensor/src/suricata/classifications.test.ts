// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {parseClassifications, renderClassifications} from './classifications.ts';

test('43-2 classtypes of other files are added once; ours, odd ones and what Suricata could not read are left out', () => {
  const texts = [
    '# note\nconfig classification: site-own,Own of this site,1\r\nconfig classification: trojan-activity,Other,4\n',
    'config classification: site-own,Again,3\nconfig classification: b, With blanks , 255\nnonsense\n',
    'config classification: c,No priority,0\nconfig classification: d,Too large,256\nconfig classification: e"x,Quote,1\n',
  ];
  const found = parseClassifications(texts);
  expect(found.map(({name, description, priority}) => [name, description, priority])).toEqual([
    ['site-own', 'Own of this site', 1],
    ['b', 'With blanks', 255],
  ]);
  expect(renderClassifications(found).split('\n').slice(-3)).toEqual([
    'config classification: site-own,Own of this site,1',
    'config classification: b,With blanks,255',
    '',
  ]);
});
