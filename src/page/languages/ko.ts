import type { Texts } from './en.js';

/** 한국어 */
export const ko: Texts = {
  code: 'ko',
  name: '한국어',
  frame: {
    title: 'priorart',
    skip: '본문으로 건너뛰기',
    search: '검색',
    dashboard: '대시보드',
    reference: 'API 문서',
    language: '언어',
    theme: '화면 색',
    themes: { system: '시스템 설정', light: '밝게', dark: '어둡게' },
    notFound: '그런 페이지가 없습니다.',
    home: '검색으로 가기',
  },
};
