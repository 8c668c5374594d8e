// Moves through a deck: shows one slide at a time, and its hidden parts one by one.
const slides = [...document.querySelectorAll('.slide')];
const SMALLEST_PX = 15, LARGEST_PX = 32;
let at = 0;

// Sets the largest font size with which the slide needs no scrolling, or the smallest if it has to scroll anyway.
function fit(slide) {
  for (let size = LARGEST_PX; size >= SMALLEST_PX; --size) {
    slide.style.fontSize = `${size}px`;
    const boxes = [...slide.querySelectorAll('pre, table')];
    if (slide.scrollHeight <= innerHeight && boxes.every((box) => box.scrollWidth <= box.clientWidth)) return;
  }
}

function show(place) {
  at = Math.min(Math.max(place, 0), slides.length - 1);
  slides.forEach((slide, k) => slide.classList.toggle('on', k === at));
  document.getElementById('place').textContent = `${at + 1} / ${slides.length}`;
  history.replaceState(null, '', `#${at + 1}`);
  fit(slides[at]);
  scrollTo(0, 0);
}

function onward() {
  const hidden = slides[at].querySelector('.later:not(.shown)');
  if (hidden) hidden.classList.add('shown');
  else show(at + 1);
}

const keys = {
  ArrowRight: onward,
  ' ': onward,
  ArrowLeft: () => show(at - 1),
  Home: () => show(0),
  End: () => show(slides.length - 1),
};
addEventListener('keydown', (event) => {
  if (!keys[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  keys[event.key]();
});
// A printed page has its own size: letters that fit the screen would be too small or too large for it.
addEventListener('beforeprint', () => slides.forEach((slide) => slide.style.removeProperty('font-size')));
addEventListener('afterprint', () => fit(slides[at]));
addEventListener('resize', () => fit(slides[at]));
addEventListener('load', () => fit(slides[at]));
document.documentElement.classList.add('deck');
show((Number(location.hash.slice(1)) || 1) - 1);
